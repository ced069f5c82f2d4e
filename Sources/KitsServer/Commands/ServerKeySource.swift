/// Where the client commands take their server key from: a file, or the environment; never the command line, which
/// every user of the machine can read.
enum ServerKeySource {
  static let variable = "KITS_SERVER_KEY"
  static let limit = 512

  static func read(_ invocation: Invocation) throws(CommandFailure) -> Secret<String> {
    if let path = invocation.arguments.value("server-key-file") {
      guard let bytes = SmallFile.read(path, limit: limit) else {
        throw .refused("can't read the server key file \(LogText.escaped(path)), or it is larger than \(limit) bytes")
      }
      return try parse(String(decoding: bytes, as: UTF8.self), from: LogText.escaped(path))
    }
    guard let value = invocation.environment[variable] else {
      throw .usage("give the server key with --server-key-file FILE or in \(variable)")
    }
    return try parse(value, from: variable)
  }

  /// Only the outline is checked, so that nothing odd ends up in a header; the server judges the key.
  private static func parse(_ text: String, from source: String) throws(CommandFailure) -> Secret<String> {
    let key = text.split(whereSeparator: \.isWhitespace)
    guard key.count == 1, let only = key.first, only.utf8.count <= limit,
      only.hasPrefix("kits_sk_"), only.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw .refused("\(source) holds no server key (they start with kits_sk_)") }
    return Secret(String(only))
  }
}
