import COpenSSL

/// A P-256 public key that verifies ES256. One that exists is a point on the curve.
package struct P256PublicKey: Sendable {
  /// How much text is looked at; the right PEM has about 180 bytes.
  package static let pemLimit = 1024

  /// The canonical SubjectPublicKeyInfo, 91 bytes of DER.
  package let spki: [UInt8]
  private let key: EVPKey

  /// Reads exactly one `PUBLIC KEY` block with the canonical SPKI of a point on the curve (SEC-K1 to SEC-K6).
  package init(spkiPEM: String) throws(KeyError) {
    let block = try PEMBlock(spkiPEM, limit: Self.pemLimit, expected: .publicKey)
    guard block.label == "PUBLIC KEY" else { throw KeyError(found: .unknownBlock, expected: .publicKey) }
    try self.init(spki: block.bytes)
  }

  /// Takes the canonical 91 bytes only: no compressed points, no spelled-out curves, no BER.
  package init(spki: [UInt8]) throws(KeyError) {
    try self.init(x963: P256Encoding.point(spki: spki))
  }

  /// Takes an uncompressed point: 4, x, y.
  package init(x963 point: [UInt8]) throws(KeyError) {
    guard point.count == P256Encoding.pointCount else { throw KeyError(found: .wrongLength, expected: .publicKey) }
    guard point[0] == 4 else { throw KeyError(found: .compressedPoint, expected: .publicKey) }
    guard let key = EVPKey.publicKey(point: point) else {
      throw KeyError(found: .pointNotOnCurve, expected: .publicKey)
    }
    self.init(point: point, key: key)
  }

  init(point: [UInt8], key: EVPKey) {
    spki = P256Encoding.spkiPrefix + point
    self.key = key
  }

  /// The point: 4, x, y.
  package var x963: [UInt8] { Array(spki.suffix(P256Encoding.pointCount)) }

  /// The SHA-256 of the SPKI in lower-case hex: what people compare.
  package var fingerprint: String { Hex.encode(SHA256.hash(spki)) }

  /// PEM text.
  package var spkiPEM: String { PEMBlock.encode(label: "PUBLIC KEY", spki) }

  /// Whether these 64 bytes r||s are a signature of the message. Any other length is none.
  package func verify(signature: [UInt8], message: [UInt8]) -> Bool {
    guard let der = ECDSASignature.der(fromRaw: signature), let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    // 1 is valid, 0 isn't, a negative number is an error: only 1 counts.
    let isValid =
      EVP_DigestVerifyInit(context, nil, Algorithms.sha256, nil, key.pointer) == 1
      && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    if !isValid { ERR_clear_error() }
    return isValid
  }
}

extension P256PublicKey: Equatable {
  /// The same point.
  package static func == (a: P256PublicKey, b: P256PublicKey) -> Bool { a.spki == b.spki }
}

extension P256PublicKey: CustomStringConvertible, CustomDebugStringConvertible {
  /// Keys of all kinds stay out of texts.
  package var description: String { "<redacted>" }
  /// Keys of all kinds stay out of texts.
  package var debugDescription: String { "<redacted>" }
}
