/// A `Content-Type` value: type/subtype and the charset, if one is named.
struct MediaType: Sendable, Equatable {
  let name: String
  let charset: String?

  var isUTF8: Bool { charset.map { Headers.same($0, "utf-8") } ?? true }

  init?(_ value: String) {
    let parts = value.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
    let name = parts[0].split(separator: "/", omittingEmptySubsequences: false)
    guard name.count == 2, name.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isToken) }) else { return nil }
    var charset: String?
    for parameter in parts.dropFirst() where !parameter.isEmpty {
      guard let equals = parameter.firstIndex(of: "=") else { return nil }
      guard Headers.same(String(parameter[..<equals]), "charset") else { continue }
      guard charset == nil else { return nil }
      charset = Self.unquoted(parameter[parameter.index(after: equals)...])
    }
    self.name = String(parts[0])
    self.charset = charset
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }

  private static func unquoted(_ text: Substring) -> String {
    guard text.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
    return String(text.dropFirst().dropLast())
  }
}
