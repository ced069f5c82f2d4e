/// The two forms of a P-256 signature: 64 bytes r||s (JOSE) and DER (OpenSSL, webhooks). Both directions are exact: one
/// DER text per pair.
package enum ECDSASignature {
  /// How long r||s is.
  package static let rawCount = 64
  private static let half = 32

  /// r||s out of DER, or nil for anything but the shortest encoding of two positive integers of at most 256 bits.
  package static func raw(fromDER der: [UInt8]) -> [UInt8]? {
    var outer = DERReader(der)
    guard var pair = outer.sequence(), outer.isAtEnd, let r = pair.unsigned(bytes: half),
      let s = pair.unsigned(bytes: half), pair.isAtEnd
    else { return nil }
    return r + s
  }

  /// DER out of r||s, or nil unless it is 64 bytes.
  package static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
    guard raw.count == rawCount else { return nil }
    let body = integer(raw.prefix(half)) + integer(raw.suffix(half))
    return [0x30, UInt8(body.count)] + body
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(bytes.drop { $0 == 0 })
    if digits.isEmpty || digits[0] >= 0x80 { digits.insert(0, at: 0) }
    return [0x02, UInt8(digits.count)] + digits
  }
}
