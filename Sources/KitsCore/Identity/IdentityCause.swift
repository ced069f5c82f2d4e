/// Causes of refused proofs that only the database knows. They stand beside those that the reading of a token finds.
package enum IdentityCause {
  package static let keyUnknown = "kid_unknown"
  package static let keyRevoked = "key_revoked"
  /// The proof is older than the erasure of its user.
  package static let userErased = "user_erased"
}
