import Glibc

/// Where a command prints: results on stdout, everything for people beside them on stderr.
struct Output: Sendable {
  enum Form: Sendable, Equatable {
    case text, json
    case field(String)
  }

  let form: Form
  let standardOutput: @Sendable (String) throws(CommandFailure) -> Void
  let standardError: @Sendable (String) -> Void

  func print(_ report: Report) throws(CommandFailure) {
    switch form {
    case .text: try standardOutput(report.text)
    case .json: try standardOutput(report.json)
    case .field(let name): try standardOutput(try report.field(name))
    }
  }

  /// Of what was done already, the caller must learn even when the result can't be shown.
  func print(_ report: Report, else sentence: @autoclosure () -> String) throws(CommandFailure) {
    do { try print(report) } catch {
      throw CommandFailure(code: error.code, message: error.message + "\n" + sentence())
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

  /// The result of a command: what isn't written whole is a failure, however well the command did.
  static func result(_ text: String) throws(CommandFailure) {
    let number = write(text, to: STDOUT_FILENO)
    guard number != 0 else { return }
    throw CommandFailure(
      code: .output, message: "the output could not be written: \(String(cString: strerror(number)))")
  }

  /// Writes all of it and returns 0, or the errno that ended it. For remarks and complaints it may be ignored: there is
  /// nobody left to tell.
  @discardableResult
  static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
        if count > 0 { offset += count } else if errno != EINTR { return errno }
      }
      return 0
    }
  }

  /// Makes descriptors 0 to 2 exist: otherwise the first socket would become the standard output, and a key would be
  /// written into it. Those that are made can't be written to, so that the loss is noticed.
  static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is this one: those below are open.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
