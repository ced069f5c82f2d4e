import Glibc

/// The only reader of the process's environment.
enum ProcessEnvironment {
  /// To be called before other threads exist: `environ` is not safe to read while one changes it.
  static func read() -> [String: String] {
    var result: [String: String] = [:]
    var cursor = environ
    while let entry = cursor.pointee {
      let text = String(cString: entry)
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
      cursor += 1
    }
    return result
  }
}
