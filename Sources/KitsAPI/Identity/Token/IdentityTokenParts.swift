internal import Crypto
internal import KitsCore

/// The text of a token taken apart, before anyone looks at what it says. Everything here takes time and memory in
/// proportion to a length that was checked first.
struct IdentityTokenParts: Sendable {
  let header: [UInt8]
  let claims: [UInt8]
  /// 64 bytes r||s.
  let signature: [UInt8]
  /// What the signature is about: the first two parts as they were written.
  let signed: [UInt8]

  init(_ text: String) throws(IdentityRejection) {
    guard text.utf8.count <= Limits.identityTokenBytes.upperBound else { throw .tooLong }
    let (header, claims, signature) = try Self.pieces(Array(text.utf8))
    guard let headerBytes = Self.decode(header), let claimsBytes = Self.decode(claims),
      let signatureBytes = Self.decode(signature)
    else { throw .badEncoding }
    guard signatureBytes.count == ECDSASignature.rawCount else { throw .signatureLengthWrong }
    self.header = headerBytes
    self.claims = claimsBytes
    self.signature = signatureBytes
    signed = header + [Self.period] + claims
  }

  /// The claims of a text that is no longer than a token and has three parts, whatever else is wrong with it.
  static func unverifiedClaims(of text: String) -> [UInt8]? {
    guard text.utf8.count <= Limits.identityTokenBytes.upperBound, let pieces = try? pieces(Array(text.utf8)) else {
      return nil
    }
    return decode(pieces.claims)
  }

  /// Periods are counted: `split` would leave empty parts out.
  private static func pieces(
    _ text: [UInt8]
  ) throws(IdentityRejection) -> (header: ArraySlice<UInt8>, claims: ArraySlice<UInt8>, signature: ArraySlice<UInt8>) {
    guard text.allSatisfy(isPermitted) else { throw .badCharacter }
    guard let first = text.firstIndex(of: period), let last = text.lastIndex(of: period), first != last,
      !text[first + 1..<last].contains(period)
    else { throw .notThreeParts }
    return (text[..<first], text[first + 1..<last], text[(last + 1)...])
  }

  private static let period = UInt8(ascii: ".")

  private static func isPermitted(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), period:
      true
    default: false
    }
  }

  private static func decode(_ part: ArraySlice<UInt8>) -> [UInt8]? {
    Base64URL.decode(String(decoding: part, as: UTF8.self))
  }
}
