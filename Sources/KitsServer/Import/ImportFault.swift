internal import JSON
internal import KitsAPI

/// One thing that is wrong with a row.
struct ImportFault: Sendable, Equatable {
  typealias Code = JSONFault.Code

  let line: Int64
  /// As the file names it; empty when it is about the row as a whole.
  let column: String
  let code: Code
  let detail: String

  /// For a person.
  var sentence: String {
    let place = column.isEmpty ? "line \(line)" : "line \(line), \(LogText.escaped(column))"
    return "\(place): \(code.importCode): \(LogText.escaped(detail))"
  }
}
