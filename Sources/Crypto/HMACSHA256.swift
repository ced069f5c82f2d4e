/// HMAC-SHA256, one message at a time.
package enum HMACSHA256 {
  /// The 32 bytes of the MAC. The empty key is refused: OpenSSL would compute a valid MAC with it.
  package static func authenticate(_ message: [UInt8], key: [UInt8]) throws(CryptoError) -> [UInt8] {
    try HMACKey(key).authenticate(message)
  }

  /// Whether `mac` is the whole right MAC, compared in constant time. Nothing verifies under the empty key, and neither
  /// the empty nor a shortened MAC verifies.
  package static func verify(_ mac: [UInt8], message: [UInt8], key: [UInt8]) -> Bool {
    guard let key = try? HMACKey(key) else { return false }
    return key.verify(mac, message: message)
  }
}
