/// Header fields in the order they came; names compare by ASCII case only, never by Unicode rules.
package struct Headers: Sendable {
  private(set) var fields: [(name: String, value: String)] = []

  package init() {}

  package init(_ fields: [(name: String, value: String)]) {
    self.fields = fields
  }

  /// The first value under a name; use `all` where a duplicate would matter.
  package func first(_ name: String) -> String? {
    fields.first { Self.same($0.name, name) }?.value
  }

  package func all(_ name: String) -> [String] {
    fields.filter { Self.same($0.name, name) }.map(\.value)
  }

  package mutating func append(_ name: String, _ value: String) {
    fields.append((name, value))
  }

  /// Replaces every field of that name by one.
  package mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(name, value)
  }

  package mutating func remove(_ name: String) {
    fields.removeAll { Self.same($0.name, name) }
  }

  package var isEmpty: Bool { fields.isEmpty }

  static func same(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).allSatisfy { ASCII.lowercased($0) == ASCII.lowercased($1) }
  }
}

extension Headers: Sequence {
  package func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }
}
