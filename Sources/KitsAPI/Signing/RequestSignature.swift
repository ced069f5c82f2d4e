internal import Crypto

/// `X-Kits-Signature: v1:{app_token}:{unix_timestamp}:{hex_signature}`, taken apart byte by byte: what isn't exactly of
/// this form is no signature. Lower-case hexadecimal digits alone, so that one signature has one spelling.
struct RequestSignature: Sendable, Equatable {
  static let header = "X-Kits-Signature"
  static let version = "v1"

  let appToken: [UInt8]
  /// Since 1970, as the client's clock had it.
  let seconds: Int64
  let mac: [UInt8]

  private static let fields = 4
  private static let colon = UInt8(ascii: ":")
  private static let tokenBytes = 1...64
  /// Until the year 5138; so no arithmetic with it can overflow.
  private static let timestampDigits = 1...11
  private static let macDigits = SHA256.count * 2

  init(appToken: [UInt8], seconds: Int64, mac: [UInt8]) {
    self.appToken = appToken
    self.seconds = seconds
    self.mac = mac
  }

  init?(_ text: String) {
    let longest =
      Self.version.utf8.count + Self.tokenBytes.upperBound + Self.timestampDigits.upperBound
      + Self.macDigits + Self.fields - 1
    guard text.utf8.count <= longest else { return nil }
    let parts = Array(text.utf8).split(separator: Self.colon, omittingEmptySubsequences: false)
    guard parts.count == Self.fields, parts[0].elementsEqual(Self.version.utf8),
      Self.tokenBytes.contains(parts[1].count), parts[1].allSatisfy(Self.isTokenByte),
      let seconds = Self.seconds(parts[2]), parts[3].count == Self.macDigits,
      let mac = Hex.decode(String(decoding: parts[3], as: UTF8.self))
    else { return nil }
    self.init(appToken: Array(parts[1]), seconds: seconds, mac: mac)
  }

  /// The number of the window that a moment lies in.
  static func window(of seconds: Int64, _ bucketSeconds: Int64) -> Int64 {
    let quotient = seconds / bucketSeconds
    return seconds % bucketSeconds < 0 ? quotient - 1 : quotient
  }

  /// Decimal digits without a sign and without leading zeros.
  private static func seconds(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard timestampDigits.contains(digits.count), digits.allSatisfy(isDigit),
      digits.first != UInt8(ascii: "0") || digits.count == 1
    else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
