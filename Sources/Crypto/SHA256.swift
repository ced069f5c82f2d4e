import COpenSSL

/// SHA-256.
package enum SHA256 {
  /// How long a hash is.
  package static let count = 32

  /// The hash of the bytes.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    hash(chunks: CollectionOfOne(bytes))
  }

  /// The hash of all chunks, one after the other.
  package static func hash(chunks: some Sequence<[UInt8]>) -> [UInt8] {
    let context = Algorithms.need(EVP_MD_CTX_new(), "a hash context")
    defer { EVP_MD_CTX_free(context) }
    var isFine = EVP_DigestInit_ex2(context, Algorithms.sha256, nil) == 1
    for chunk in chunks where isFine { isFine = EVP_DigestUpdate(context, chunk, chunk.count) == 1 }
    let digest = [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      isFine = isFine && EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1
      written = isFine ? count : 0
    }
    precondition(isFine, "OpenSSL can't compute SHA-256")
    return digest
  }
}
