/// The decoded values of a pattern's `{name}` parts.
package struct PathParameters: Sendable {
  private let values: [(name: String, value: String)]

  package init(_ values: [(name: String, value: String)] = []) {
    self.values = values
  }

  /// The value of a parameter that the route's own pattern names; empty for any other name.
  package subscript(name: String) -> String {
    values.first { $0.name == name }?.value ?? ""
  }
}
