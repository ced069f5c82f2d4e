import COpenSSL

/// OpenSSL's algorithms, fetched once: in OpenSSL 3 the old one-shot calls look them up by name every time.
enum Algorithms {
  // Fetched algorithm objects are immutable and reference-counted atomically; these live as long as the process.
  static nonisolated(unsafe) let sha256: OpaquePointer = need(EVP_MD_fetch(nil, "SHA256", nil), "SHA-256")
  static nonisolated(unsafe) let hmac: OpaquePointer = need(EVP_MAC_fetch(nil, "HMAC", nil), "HMAC")
  static nonisolated(unsafe) let aes256GCM: OpaquePointer = need(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "AES-GCM")

  /// Without memory or without the algorithm no security promise can be kept, so there's nothing to go on with.
  static func need<Pointer>(_ pointer: Pointer?, _ what: String) -> Pointer {
    guard let pointer else { fatalError("OpenSSL can't provide \(what)") }
    return pointer
  }
}
