internal import JSON

/// Makes the object that the API takes of the cells of one row.
protocol ImportColumns: Sendable {
  var count: Int { get }
  /// Columns of the file that have no meaning.
  var ignored: [String] { get }

  func row(_ cells: [String]) -> ImportRow
  /// The name in the file of what a pointer into the object names.
  func name(of pointer: String) -> String
}

/// A row of a file, in the words of the API.
enum ImportRow: Sendable, Equatable {
  case object(JSONValue)
  /// What the other system says of it: not to be reached.
  case skipped
  case broken(column: String, ImportFault.Code, String)
}

/// Cells are text; these make of them what a member of the object is. What doesn't fit stays text, which the reader of
/// the object refuses with a sentence.
enum ImportCell {
  static func integer(_ text: String) -> JSONValue {
    Int64(text).map(JSONValue.integer) ?? .string(text)
  }

  static func flag(_ text: String) -> JSONValue {
    switch text.lowercased() {
    case "true", "t", "yes", "1": .bool(true)
    case "false", "f", "no", "0": .bool(false)
    default: .string(text)
    }
  }

  /// Seconds since 1970, or a date-time.
  static func moment(_ text: String) -> JSONValue {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return .string(text) }
    return integer(text)
  }

  /// Nil when it isn't a JSON object.
  static func object(_ text: String) -> JSONObject? {
    (try? JSON.parse(Array(text.utf8), maxDepth: 2))?.object
  }
}
