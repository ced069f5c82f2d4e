/// The members of a JSON object in the order in which they were written. Names are compared by UTF-8 bytes. A lookup
/// walks the members: requests have tens of them, and a bounded body bounds the rest.
package struct JSONObject: Sendable {
  /// One name and its value.
  package typealias Member = (key: String, value: JSONValue)

  /// All members, in order, each name once.
  package private(set) var members: [Member]

  /// An empty object.
  package init() {
    members = []
  }

  /// Members in the given order; a name that comes twice keeps its first place and its last value.
  package init(_ pairs: KeyValuePairs<String, JSONValue>) {
    self.init(pairs.map { ($0.key, $0.value) })
  }

  /// Members in the given order; a name that comes twice keeps its first place and its last value.
  package init(_ pairs: [(String, JSONValue)]) {
    members = []
    members.reserveCapacity(pairs.count)
    for (key, value) in pairs { set(key, value) }
  }

  /// For the parser, which has refused duplicate names already.
  init(distinct members: [Member]) {
    self.members = members
  }

  /// How many members there are.
  package var count: Int { members.count }

  /// Whether there are none.
  package var isEmpty: Bool { members.isEmpty }

  /// The names, in order.
  package var keys: [String] { members.map(\.key) }

  /// The value of a name; setting nil removes the member.
  package subscript(key: String) -> JSONValue? {
    get { index(of: key).map { members[$0].value } }
    set {
      if let newValue {
        set(key, newValue)
      } else if let index = index(of: key) {
        members.remove(at: index)
      }
    }
  }

  /// Replaces the value of a name, or appends the member.
  package mutating func set(_ key: String, _ value: JSONValue) {
    if let index = index(of: key) {
      members[index].value = value
    } else {
      members.append((key, value))
    }
  }

  /// The position of a name.
  func index(of key: String) -> Int? {
    members.firstIndex { UTF8Bytes.equal($0.key, key) }
  }

  /// The members by ascending bytes of their names.
  var sorted: [Member] {
    members.sorted { UTF8Bytes.less($0.key, $1.key) }
  }
}

extension JSONObject: Equatable {
  /// The order of members doesn't matter to equality, as it doesn't to JSON.
  package static func == (a: JSONObject, b: JSONObject) -> Bool {
    guard a.count == b.count else { return false }
    func same(_ a: [Member], _ b: [Member]) -> Bool {
      zip(a, b).allSatisfy { UTF8Bytes.equal($0.key, $1.key) && $0.value == $1.value }
    }
    return same(a.members, b.members) || same(a.sorted, b.sorted)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// The members in the order of the literal.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements)
  }
}
