/// What a verified identity token says.
package struct IdentityClaims: Sendable, Equatable {
  /// The user, in the customer's own words; `ExternalID` holds for it.
  package let externalID: String
  /// Seconds since 1970.
  package let issuedAt: Int64
  /// Seconds since 1970; from this second on the token is worth nothing.
  package let expiresAt: Int64
  /// The key that signed it.
  package let keyID: String

  package init(externalID: String, issuedAt: Int64, expiresAt: Int64, keyID: String) {
    self.externalID = externalID
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.keyID = keyID
  }

  /// Strings are equal when their bytes are.
  package static func == (a: IdentityClaims, b: IdentityClaims) -> Bool {
    a.externalID.utf8.elementsEqual(b.externalID.utf8) && a.issuedAt == b.issuedAt && a.expiresAt == b.expiresAt
      && a.keyID.utf8.elementsEqual(b.keyID.utf8)
  }
}
