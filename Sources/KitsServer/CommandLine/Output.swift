import Glibc

/// Where a command prints: results on stdout, everything for people beside them on stderr.
struct Output: Sendable {
  enum Form: Sendable, Equatable {
    case text, json
    case field(String)
  }

  let form: Form
  let standardOutput: @Sendable (String) -> Void
  let standardError: @Sendable (String) -> Void

  func print(_ report: Report) throws(CommandFailure) {
    switch form {
    case .text: standardOutput(report.text)
    case .json: standardOutput(report.json)
    case .field(let name): standardOutput(try report.field(name))
    }
  }

  /// A remark that is no part of the result; scripts don't get it.
  func remark(_ text: String) {
    if form == .text { standardError(text + "\n") }
  }

  static func form(of arguments: Arguments) -> Form {
    if let name = arguments.value("field") { return .field(name) }
    return arguments.has("json") ? .json : .text
  }

  /// Writes all of it; an error ends it, for a reader that went away needs no more.
  static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
        if count > 0 { offset += count } else if errno != EINTR { return }
      }
    }
  }
}
