/// HKDF with SHA-256 (RFC 5869): keys for several purposes out of one secret.
package enum HKDF {
  private static let mostBlocks = 255

  /// `count` bytes that depend on secret, salt and info. An empty salt stands for 32 zero bytes, as the RFC says; an
  /// empty secret is refused.
  package static func derive(
    secret: [UInt8], salt: [UInt8] = [], info: [UInt8], count: Int
  ) throws(CryptoError) -> [UInt8] {
    guard !secret.isEmpty else { throw .emptyKey }
    guard count > 0, count <= mostBlocks * SHA256.count else { throw .outputLength }
    let extractKey = salt.isEmpty ? [UInt8](repeating: 0, count: SHA256.count) : salt
    let expand = try HMACKey(HMACSHA256.authenticate(secret, key: extractKey))
    var output: [UInt8] = []
    var block: [UInt8] = []
    var number: UInt8 = 0
    while output.count < count {
      number += 1
      block = expand.authenticate(block + info + [number])
      output += block
    }
    return Array(output.prefix(count))
  }
}
