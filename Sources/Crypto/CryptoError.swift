/// A misuse of a primitive or a refused ciphertext. No case carries key material.
package enum CryptoError: Error, Sendable, Equatable {
  /// An empty key: an absent secret that was stored as "" must not sign or verify anything.
  case emptyKey
  /// A key of the wrong length.
  case keyLength(expected: Int)
  /// More output than the algorithm can give, or less than one byte.
  case outputLength
  /// The ciphertext, its tag, its associated data or the key isn't the one that was sealed.
  case authenticationFailed
  /// OpenSSL failed where only a lack of memory or a broken installation makes it fail.
  case library
}
