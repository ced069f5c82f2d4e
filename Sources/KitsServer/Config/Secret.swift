/// A value that no log line, error text, `print`, `dump` or debugger summary may show.
///
/// Everything that renders a value goes through one of the four conformances below, so a secret inside another
/// struct is redacted without that struct doing anything.
struct Secret<Value: Sendable>: Sendable {
  private let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// The only way out; the name makes each use easy to find in review.
  func reveal() -> Value { value }
}

extension Secret: Equatable where Value: Equatable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "<redacted>" }
  var debugDescription: String { "<redacted>" }
  /// Without children: `dump` and mirrors walk stored properties even when they are private.
  var customMirror: Mirror {
    Mirror(self, children: EmptyCollection<Mirror.Child>(), displayStyle: nil, ancestorRepresentation: .suppressed)
  }
}
