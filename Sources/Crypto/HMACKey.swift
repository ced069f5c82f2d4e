import COpenSSL

/// HMAC-SHA256 under one key, with the key's work done once; for keys that check many messages.
///
/// `@unchecked Sendable`: the keyed context is never changed after init; every message works on its own duplicate.
package final class HMACKey: @unchecked Sendable {
  private let keyed: OpaquePointer

  /// Refuses the empty key.
  package init(_ key: [UInt8]) throws(CryptoError) {
    guard !key.isEmpty else { throw .emptyKey }
    guard let context = EVP_MAC_CTX_new(Algorithms.hmac) else { throw .library }
    keyed = context
    guard kits_mac_init_sha256(context, key, key.count) == 1 else { throw .library }
  }

  deinit {
    EVP_MAC_CTX_free(keyed)
  }

  /// The 32 bytes of the MAC.
  package func authenticate(_ message: [UInt8]) -> [UInt8] {
    let context = Algorithms.need(EVP_MAC_CTX_dup(keyed), "a MAC context")
    defer { EVP_MAC_CTX_free(context) }
    var isFine = EVP_MAC_update(context, message, message.count) == 1
    let mac = [UInt8](unsafeUninitializedCapacity: SHA256.count) { buffer, written in
      var count = 0
      isFine = isFine && EVP_MAC_final(context, buffer.baseAddress, &count, SHA256.count) == 1
      written = isFine ? count : 0
    }
    precondition(mac.count == SHA256.count, "OpenSSL can't compute HMAC-SHA256")
    return mac
  }

  /// Bytes of a short MAC: 128 bits, for what has to be short and is checked online.
  package static let shortCount = 16

  /// The first 16 bytes of the MAC (RFC 2104, section 5).
  package func shortMAC(_ message: [UInt8]) -> [UInt8] {
    Array(authenticate(message).prefix(Self.shortCount))
  }

  /// Whether the short MAC is the whole right one, in a time that doesn't depend on how much of it is right.
  package func verifyShort(_ mac: [UInt8], message: [UInt8]) -> Bool {
    ConstantTime.equal(mac, shortMAC(message))
  }

  /// Whether the MAC is the whole right one, in a time that doesn't depend on how much of it is right.
  package func verify(_ mac: [UInt8], message: [UInt8]) -> Bool {
    ConstantTime.equal(mac, authenticate(message))
  }
}

extension HMACKey: CustomStringConvertible, CustomDebugStringConvertible {
  /// Never the key.
  package var description: String { "<redacted>" }
  /// Never the key.
  package var debugDescription: String { "<redacted>" }
}
