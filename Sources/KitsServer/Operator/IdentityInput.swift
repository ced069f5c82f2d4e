import Glibc
internal import JSON

/// Reads keys and tokens for the identity commands: from files and standard input, never from the command line, which
/// every user of the machine can see.
enum IdentityInput {
  /// More than any of them; what is larger is some other file.
  static let fileLimit = 65_536

  /// - Parameter path: `-` is standard input.
  static func text(_ path: String, what: String) throws(CommandFailure) -> String {
    let content = path == "-" ? SmallFile.read(STDIN_FILENO, limit: fileLimit) : SmallFile.read(path, limit: fileLimit)
    guard let content else {
      throw .refused("can't read the \(what) from \(LogText.escaped(path)), or it is larger than \(fileLimit) bytes")
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// Without the newline that editors and `echo` leave around a token.
  static func trimmed(_ text: String) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let bytes = Array(text.utf8)
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }

  /// Seconds since 1970 as people read them.
  static func instant(_ seconds: Int64) -> String {
    let (microseconds, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return isBeyond ? "\(seconds)" : RFC3339.format(microseconds)
  }
}
