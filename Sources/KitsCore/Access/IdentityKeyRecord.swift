/// The public half of a customer's signing key (K20).
package struct IdentityKeyRecord: Sendable, Equatable {
  package let id: IdentityKeyID
  /// The canonical SubjectPublicKeyInfo.
  package let spki: [UInt8]
  package let createdAt: Timestamp
  /// A revoked key verifies nothing any more, and neither its id nor the key comes back.
  package let revokedAt: Timestamp?

  package init(id: IdentityKeyID, spki: [UInt8], createdAt: Timestamp, revokedAt: Timestamp?) {
    self.id = id
    self.spki = spki
    self.createdAt = createdAt
    self.revokedAt = revokedAt
  }

  /// What became of a registration.
  package enum Registration: Sendable, Equatable {
    case added(IdentityKeyRecord)
    /// The same key was there under the same id: a repeated call.
    case present(IdentityKeyRecord)
    /// The id is taken by another key, or was revoked.
    case idTaken
    /// The key is there under another id, or was revoked under it.
    case keyTaken(by: IdentityKeyID)
    /// The environment has as many keys as it may have.
    case tooMany
  }
}
