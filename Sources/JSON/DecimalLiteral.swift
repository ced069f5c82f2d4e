import Glibc

/// A number as it was written, by its significant digits, so that it can be compared with the double that would stand
/// for it.
struct DecimalLiteral {
  /// From the first digit that isn't 0 to the last; empty for zero.
  private let digits: [UInt8]
  /// The power of ten of the first of them.
  private let exponent: Int
  private let text: ArraySlice<UInt8>

  /// Every decimal of so many digits is the shortest text of the double nearest to it, away from the ends of the range.
  private static let safeDigits = 15
  private static let safeExponents = -290...290
  /// No double has more significant digits when it is written out in full.
  private static let mostDigits = 767
  /// Beyond any double; what is larger needn't be told apart.
  private static let largestExponent = 1_000_000_000

  /// Nil for what isn't a number: the parser has its own words for that.
  init?(_ text: ArraySlice<UInt8>) {
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
    guard let mantissa = parts.first, let scale = parts.count > 1 ? Self.integer(parts[1]) : 0 else { return nil }
    var digits: [UInt8] = []
    var integerDigits: Int?
    var count = 0
    var first: Int?
    for byte in mantissa.first == UInt8(ascii: "-") ? mantissa.dropFirst() : mantissa {
      if byte == UInt8(ascii: ".") {
        guard integerDigits == nil else { return nil }
        integerDigits = count
        continue
      }
      guard Self.isDigit(byte) else { return nil }
      if first == nil, byte != UInt8(ascii: "0") { first = count }
      if first != nil { digits.append(byte) }
      count += 1
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    self.digits = digits
    exponent = (integerDigits ?? count) - 1 - (first ?? 0) + scale
    self.text = text
  }

  /// Whether a double holds the number faithfully: written with as many digits as there are here, it is this number.
  /// 0.1 is one (its double is written 0.1), 0.30000000000000004 too, 9007199254740993.0 and 1e-400 aren't.
  var isDouble: Bool {
    if digits.isEmpty { return true }
    guard digits.count <= Self.mostDigits else { return false }
    if digits.count <= Self.safeDigits, Self.safeExponents.contains(exponent) { return true }
    let number = strtod(String(decoding: text, as: UTF8.self), nil)
    guard number.isFinite, number != 0 else { return false }
    return Self.scientific(number.magnitude, digits: digits.count) == expected
  }

  /// As `%e` writes it: at least two digits of exponent.
  private var expected: [UInt8] {
    var text = [digits[0]]
    if digits.count > 1 { text += [UInt8(ascii: ".")] + digits.dropFirst() }
    let power = String(exponent.magnitude)
    return text + Array("e\(exponent < 0 ? "-" : "+")\(power.utf8.count < 2 ? "0" : "")\(power)".utf8)
  }

  /// The C library rounds correctly to any number of digits; the process never leaves the C locale.
  private static func scientific(_ number: Double, digits: Int) -> [UInt8] {
    var buffer = [CChar](repeating: 0, count: digits + 16)
    let count = withVaList([Int32(digits - 1), number]) { vsnprintf(&buffer, buffer.count, "%.*e", $0) }
    return buffer.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }
  }

  private static func integer(_ text: ArraySlice<UInt8>) -> Int? {
    let isSigned = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+")
    let digits = isSigned ? text.dropFirst() : text
    guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
    let value = digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), largestExponent) }
    return text.first == UInt8(ascii: "-") ? -value : value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
