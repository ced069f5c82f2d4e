/// The grammar of RFC 5646 section 2.1 over the subtags of a tag in lower case. Which subtags are registered is of no
/// matter; that no variant and no singleton comes twice is (section 2.2.9).
struct LanguageTagGrammar {
  private typealias Subtag = ArraySlice<UInt8>

  private let parts: [Subtag]
  private var position = 0

  /// What the RFC keeps although it doesn't follow the grammar. The list is closed. What else it calls grandfathered
  /// (`zh-min-nan`) does follow it.
  private static let irregular: Set<String> = [
    "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux", "i-mingo", "i-navajo",
    "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl", "sgn-ch-de",
  ]

  static func accepts(_ bytes: [UInt8]) -> Bool {
    if irregular.contains(String(decoding: bytes, as: UTF8.self)) { return true }
    var grammar = LanguageTagGrammar(bytes)
    return grammar.privateUse() ? grammar.isAtEnd : grammar.isLanguageTag()
  }

  private init(_ bytes: [UInt8]) {
    parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
  }

  private var isAtEnd: Bool { position == parts.count }

  private mutating func isLanguageTag() -> Bool {
    guard language() else { return false }
    _ = take { $0.count == 4 && $0.allSatisfy(Self.isLetter) }
    _ = take { Self.isRegion($0) }
    guard distinct({ $0.take(where: Self.isVariant) }), distinct({ $0.extensionSingleton() }) else { return false }
    _ = privateUse()
    return isAtEnd
  }

  /// A language of two or three letters may have up to three extended ones behind it.
  private mutating func language() -> Bool {
    guard let language = take(where: { (2...8).contains($0.count) && $0.allSatisfy(Self.isLetter) }) else {
      return false
    }
    guard language.count <= 3 else { return true }
    for _ in 0..<3 where take(where: { $0.count == 3 && $0.allSatisfy(Self.isLetter) }) == nil { break }
    return true
  }

  /// The singleton of an extension, which was read whole.
  private mutating func extensionSingleton() -> Subtag? {
    let start = position
    guard let singleton = take(where: { $0.count == 1 && !$0.elementsEqual("x".utf8) && Self.isAlphanumeric($0) }),
      take(where: Self.isExtended) != nil
    else {
      position = start
      return nil
    }
    while take(where: Self.isExtended) != nil {}
    return singleton
  }

  /// `x` and at least one subtag; takes everything to the end or nothing.
  private mutating func privateUse() -> Bool {
    let rest = parts[position...]
    guard rest.count > 1, rest.first?.elementsEqual("x".utf8) == true,
      rest.dropFirst().allSatisfy({ (1...8).contains($0.count) && Self.isAlphanumeric($0) })
    else { return false }
    position = parts.count
    return true
  }

  /// Reads as many as there are; false when one comes twice.
  private mutating func distinct(_ next: (inout LanguageTagGrammar) -> Subtag?) -> Bool {
    var seen: Set<Subtag> = []
    while let subtag = next(&self) {
      guard seen.insert(subtag).inserted else { return false }
    }
    return true
  }

  private mutating func take(where accept: (Subtag) -> Bool) -> Subtag? {
    guard position < parts.count, accept(parts[position]) else { return nil }
    defer { position += 1 }
    return parts[position]
  }

  private static func isRegion(_ part: Subtag) -> Bool {
    part.count == 2 && part.allSatisfy(isLetter) || part.count == 3 && part.allSatisfy(isDigit)
  }

  private static func isVariant(_ part: Subtag) -> Bool {
    guard isAlphanumeric(part), let first = part.first else { return false }
    return (5...8).contains(part.count) || part.count == 4 && isDigit(first)
  }

  private static func isExtended(_ part: Subtag) -> Bool { (2...8).contains(part.count) && isAlphanumeric(part) }
  private static func isAlphanumeric(_ part: Subtag) -> Bool { part.allSatisfy { isLetter($0) || isDigit($0) } }
  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
