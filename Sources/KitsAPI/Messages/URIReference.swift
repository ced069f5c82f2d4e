/// An absolute URI by the grammar of RFC 3986, taken apart as far as a validation asks.
///
/// Only syntax: nothing is resolved or fetched.
struct URIReference: Sendable {
  /// In lower case.
  let scheme: String
  /// What stands behind `//`; nil without it.
  let authority: Authority?

  struct Authority: Sendable {
    let userInfo: String?
    let host: String
    /// The digits behind the colon; nil without a colon.
    let port: String?
  }

  /// Nil for a relative reference and for whatever isn't in the grammar, non-ASCII included.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(bytes[..<colon]) else { return nil }
    scheme = String(decoding: bytes[..<colon].map { $0 | 0x20 }, as: UTF8.self)
    var rest = bytes[(colon + 1)...]
    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
      guard Self.isMade(rest[(hash + 1)...], of: Self.queryMarks) else { return nil }
      rest = rest[..<hash]
    }
    if let question = rest.firstIndex(of: UInt8(ascii: "?")) {
      guard Self.isMade(rest[(question + 1)...], of: Self.queryMarks) else { return nil }
      rest = rest[..<question]
    }
    guard rest.starts(with: "//".utf8) else {
      guard Self.isMade(rest, of: Self.pathMarks) else { return nil }
      authority = nil
      return
    }
    let start = rest.startIndex + 2
    let end = rest[start...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    guard let authority = Authority(rest[start..<end]), Self.isMade(rest[end...], of: Self.pathMarks) else {
      return nil
    }
    self.authority = authority
  }

  /// `sub-delims`
  fileprivate static let delimiters = "!$&'()*+,;="
  private static let pathMarks = Set((delimiters + ":@/").utf8)
  private static let queryMarks = Set((delimiters + ":@/?").utf8)

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, first.isLetter else { return false }
    return bytes.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
  }

  /// Whether it has nothing but unreserved characters, complete percent-encodings and these marks.
  fileprivate static func isMade(_ bytes: ArraySlice<UInt8>, of marks: Set<UInt8>) -> Bool {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%") {
        guard bytes.endIndex - index > 2, bytes[index + 1].isHexDigit, bytes[index + 2].isHexDigit else { return false }
        index += 3
        continue
      }
      guard byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) || marks.contains(byte) else { return false }
      index += 1
    }
    return true
  }
}

extension URIReference.Authority {
  private static let userMarks = Set((URIReference.delimiters + ":").utf8)
  private static let nameMarks = Set(URIReference.delimiters.utf8)

  fileprivate init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    if let at = rest.firstIndex(of: UInt8(ascii: "@")) {
      guard URIReference.isMade(rest[..<at], of: Self.userMarks) else { return nil }
      userInfo = String(decoding: rest[..<at], as: UTF8.self)
      rest = rest[(at + 1)...]
    } else {
      userInfo = nil
    }
    let isLiteral = rest.first == UInt8(ascii: "[")
    let afterHost: ArraySlice<UInt8>.Index
    if isLiteral {
      guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      guard IPv6Text.isValid(rest[(rest.startIndex + 1)..<close]) else { return nil }
      afterHost = close + 1
    } else {
      afterHost = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
      guard URIReference.isMade(rest[..<afterHost], of: Self.nameMarks) else { return nil }
    }
    host = String(decoding: rest[..<afterHost], as: UTF8.self)
    let port = rest[afterHost...]
    guard port.isEmpty || (port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(\.isDigit)) else {
      return nil
    }
    self.port = port.isEmpty ? nil : String(decoding: port.dropFirst(), as: UTF8.self)
  }

  /// What a device can open a connection to: an address, or labels of 1 to 63 characters and 253 in all, none of them
  /// percent-encoded (what such a name means is up to the reader); with a port that exists, or none. A dot may end the
  /// name, as it does in the DNS.
  var namesServer: Bool {
    if let port, !port.isEmpty, UInt16(port) ?? 0 == 0 { return false }
    if host.hasPrefix("[") { return true }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    return name.utf8.count <= 253 && !name.utf8.contains(UInt8(ascii: "%"))
      && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { (1...63).contains($0.utf8.count) }
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var isHexDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20) }
}
