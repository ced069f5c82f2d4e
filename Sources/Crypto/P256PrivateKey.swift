import COpenSSL

/// A P-256 private key that signs ES256.
package struct P256PrivateKey: Sendable {
  /// How much text is looked at; the right PEM has about 240 bytes.
  package static let pemLimit = 4096

  /// The public half.
  package let publicKey: P256PublicKey
  private let key: EVPKey

  /// Reads exactly one `PRIVATE KEY` block (PKCS#8) with the named curve P-256 and nothing else. OpenSSL's own PEM
  /// reader isn't used: it takes more forms and asks for a passphrase on the terminal.
  package init(pkcs8PEM: String) throws(KeyError) {
    var block = try PEMBlock(pkcs8PEM, limit: Self.pemLimit, expected: .privateKey)
    defer { block.clear() }
    guard block.label == "PRIVATE KEY" else { throw KeyError(found: .unknownBlock, expected: .privateKey) }
    var (scalar, point) = try P256Encoding.privateKey(pkcs8: block.bytes)
    defer { OPENSSL_cleanse(&scalar, scalar.count) }
    // The public half is computed from the private one, never believed.
    guard let key = EVPKey.pair(scalar: scalar), let computed = key.point() else {
      throw KeyError(found: .malformed, expected: .privateKey)
    }
    guard point == nil || point == computed else {
      throw KeyError(found: .mismatchedPublicKey, expected: .privateKey)
    }
    self.init(key: key, point: computed)
  }

  /// A new key.
  package init() {
    let key = Algorithms.need(EVPKey.generate(), "a P-256 key")
    self.init(key: key, point: Algorithms.need(key.point(), "a public point"))
  }

  private init(key: EVPKey, point: [UInt8]) {
    self.key = key
    publicKey = P256PublicKey(point: point, key: key)
  }

  /// The signature of the message: 64 bytes r||s.
  package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw .library }
    defer { EVP_MD_CTX_free(context) }
    var der = [UInt8](repeating: 0, count: Self.longestDER)
    var count = der.count
    guard EVP_DigestSignInit(context, nil, Algorithms.sha256, nil, key.pointer) == 1,
      EVP_DigestSign(context, &der, &count, message, message.count) == 1,
      let signature = ECDSASignature.raw(fromDER: Array(der.prefix(count)))
    else {
      ERR_clear_error()
      throw .library
    }
    return signature
  }

  /// PEM text with the private key, for the command that makes keys.
  package var pkcs8PEM: String {
    let scalar = Algorithms.need(key.scalar(), "the private number")
    return PEMBlock.encode(label: "PRIVATE KEY", P256Encoding.pkcs8(scalar: scalar, point: publicKey.x963))
  }

  private static let longestDER = 72
}

extension P256PrivateKey: CustomStringConvertible, CustomDebugStringConvertible {
  /// Never the key.
  package var description: String { "<redacted>" }
  /// Never the key.
  package var debugDescription: String { "<redacted>" }
}
