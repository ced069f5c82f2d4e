extension IdentityRejection {
  /// What is wrong and what would be right, for whoever writes or operates a signer. Never a part of the token.
  package var sentence: String {
    switch self {
    case .tooLong: "The token is longer than a token may be."
    case .badCharacter: "The token has a character other than A-Z, a-z, 0-9, hyphen, underscore and the two periods."
    case .notThreeParts: "The token doesn't have three parts: header, claims and signature, with a period between."
    case .badEncoding: "A part of the token isn't unpadded Base64url, or has bits left over at its end."
    case .signatureLengthWrong: "The signature doesn't have the 64 bytes r and s of ES256. Was it left in DER?"
    case .headerMalformed: "The header isn't one strict JSON object."
    case .headerForbiddenMember: "The header has a member that is never accepted, such as crit, jwk, jku, x5c or zip."
    case .algNotES256: "The header's alg isn't ES256."
    case .typWrong: "The header's typ is neither absent nor JWT."
    case .kidMissing: "The header has no kid."
    case .kidInvalid: "The header's kid isn't a string of a permitted length."
    case .claimsMalformed: "The claims aren't one strict JSON object: no duplicate members, no NUL, 32 levels at most."
    case .issWrong: "The iss isn't the id of the app, in lower case."
    case .audWrong: "The aud isn't kits:identity."
    case .iatInvalid: "The iat isn't a time in whole seconds, written as an integer."
    case .expInvalid: "The exp isn't a time in whole seconds, written as an integer."
    case .nbfInvalid: "The nbf is there and isn't a time in whole seconds, written as an integer."
    case .externalIDMissing: "There is no identity.external_id, or it isn't a string."
    case .externalIDInvalid: "The identity.external_id is empty, too long, or has characters that no id may have."
    case .kidUnknown: "The environment has no key with this kid."
    case .keyRevoked: "The key with this kid was revoked."
    case .signatureWrong: "The signature isn't one of the key with this kid."
    case .lifetimeOutOfRange: "The exp isn't 1 to 3600 seconds after the iat."
    case .issuedInFuture: "The iat is in the future by more than a minute: a clock is wrong, or it is in milliseconds."
    case .notYetValid: "The nbf is in the future by more than a minute."
    case .expired: "The token has expired. All else about it is right."
    }
  }
}
