/// Walks over DER; every step returns nil for anything but the shortest definite length. Only what keys and signatures
/// need.
struct DERReader {
  static let integerTag: UInt8 = 0x02
  static let bitStringTag: UInt8 = 0x03
  static let octetStringTag: UInt8 = 0x04
  static let identifierTag: UInt8 = 0x06
  static let sequenceTag: UInt8 = 0x30

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  private init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }
  var nextTag: UInt8? { rest.first }

  /// The content of the next element, if it has that tag.
  mutating func element(_ tag: UInt8) -> ArraySlice<UInt8>? {
    var reader = rest
    guard reader.popFirst() == tag, let count = Self.length(&reader), count <= reader.count else { return nil }
    rest = reader.dropFirst(count)
    return reader.prefix(count)
  }

  /// A reader of the next element's content.
  mutating func inside(_ tag: UInt8) -> DERReader? {
    element(tag).map { DERReader($0) }
  }

  mutating func sequence() -> DERReader? { inside(Self.sequenceTag) }

  /// A non-negative integer, padded with zeros to so many bytes.
  mutating func unsigned(bytes count: Int) -> [UInt8]? {
    guard var digits = element(Self.integerTag), let first = digits.first, first < 0x80 else { return nil }
    if first == 0, digits.count > 1 {
      digits = digits.dropFirst()
      guard let second = digits.first, second >= 0x80 else { return nil }
    }
    guard digits.count <= count else { return nil }
    return [UInt8](repeating: 0, count: count - digits.count) + digits
  }

  private static func length(_ bytes: inout ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.popFirst() else { return nil }
    switch first {
    case 0..<0x80: return Int(first)
    case 0x81:
      guard let low = bytes.popFirst(), low >= 0x80 else { return nil }
      return Int(low)
    case 0x82:
      guard let high = bytes.popFirst(), high > 0, let low = bytes.popFirst() else { return nil }
      return Int(high) << 8 | Int(low)
    default: return nil
    }
  }
}
