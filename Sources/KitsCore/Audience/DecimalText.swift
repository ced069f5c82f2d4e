/// A decimal number as text, without a limit to its precision: digits, perhaps a minus before and a fraction behind.
/// No exponent, no plus, no bare point. Tags are compared as such numbers.
package struct DecimalText: Sendable, Hashable {
  /// Without needless zeros: `007.50` is `7.5`, `-0` is `0`.
  package let text: String

  package init?(parsing raw: String) {
    let bytes = Array(raw.utf8)
    let isNegative = bytes.first == UInt8(ascii: "-")
    let parts = bytes[(isNegative ? 1 : 0)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isDigit) }) else {
      return nil
    }
    let whole = parts[0].drop { $0 == UInt8(ascii: "0") }
    var fraction = parts.count == 2 ? parts[1] : []
    while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    let isZero = whole.isEmpty && fraction.isEmpty
    text =
      (isNegative && !isZero ? "-" : "") + (whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self))
      + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))
  }

  package init(_ number: Int64) {
    text = String(number)
  }

  /// The shortest decimal that reads back as the same double, written out; nil for what isn't finite.
  package init?(_ number: Double) {
    guard number.isFinite else { return nil }
    let parts = number.description.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]) else {
      self.init(parsing: number.description)
      return
    }
    self.init(parsing: Self.written(String(parts[0]), exponent))
  }

  /// `1.25` and -3 are `0.00125`.
  private static func written(_ mantissa: String, _ exponent: Int) -> String {
    let sign = mantissa.hasPrefix("-") ? "-" : ""
    let parts = mantissa.drop { $0 == "-" }.split(separator: ".")
    let digits = parts.joined()
    let point = (parts.first?.count ?? 0) + exponent
    if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
    if point >= digits.count { return sign + digits + String(repeating: "0", count: point - digits.count) }
    return sign + digits.prefix(point) + "." + digits.dropFirst(point)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
