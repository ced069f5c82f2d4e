/// Why an identity token isn't accepted. For the operator alone: a client learns whether it expired, and nothing else.
/// The raw values are labels of metrics and words of commands, so they stay.
package enum IdentityRejection: String, Sendable, CaseIterable, Error {
  // The text
  case tooLong = "too_long"
  case badCharacter = "bad_character"
  case notThreeParts = "not_three_parts"
  case badEncoding = "bad_encoding"
  case signatureLengthWrong = "signature_length_wrong"

  // The header
  case headerMalformed = "header_malformed"
  case headerForbiddenMember = "header_forbidden_member"
  case algNotES256 = "alg_not_es256"
  case typWrong = "typ_wrong"
  case kidMissing = "kid_missing"
  case kidInvalid = "kid_invalid"

  // The claims
  case claimsMalformed = "claims_malformed"
  case issWrong = "iss_wrong"
  case audWrong = "aud_wrong"
  case iatInvalid = "iat_invalid"
  case expInvalid = "exp_invalid"
  case nbfInvalid = "nbf_invalid"
  case externalIDMissing = "external_id_missing"
  case externalIDInvalid = "external_id_invalid"

  // The key, which the caller looks up
  case kidUnknown = "kid_unknown"
  case keyRevoked = "key_revoked"
  case signatureWrong = "signature_wrong"

  // Time
  case lifetimeOutOfRange = "lifetime_out_of_range"
  case issuedInFuture = "issued_in_future"
  case notYetValid = "not_yet_valid"
  case expired

  /// Whether a fresh token of the same signer would be accepted: the only thing that a client is told. All else about
  /// such a token was right.
  package var isExpiry: Bool { self == .expired }
}
