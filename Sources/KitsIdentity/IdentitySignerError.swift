/// Why a signer can't be made, or a token not signed. Nothing in it repeats a key or a user's id.
public enum IdentitySignerError: Error, Sendable, Equatable {
  case appIDInvalid
  case keyIDInvalid
  case ttlInvalid
  /// With a sentence about what was given in place of a key.
  case privateKeyInvalid(String)
  /// With a sentence about what is wrong with the id.
  case externalIDInvalid(String)
  /// OpenSSL failed, as it does without memory, or the clock is beyond all bounds.
  case signingFailed
}

extension IdentitySignerError: CustomStringConvertible {
  /// What is wrong and what would be right.
  public var description: String {
    switch self {
    case .appIDInvalid: "The app id must be an id like 01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70."
    case .keyIDInvalid: "The key id must have 1 to 64 bytes and no control characters."
    case .ttlInvalid: "The life of a token must be 1 to 3600 seconds."
    case .privateKeyInvalid(let sentence): "The private key can't be used. \(sentence)"
    case .externalIDInvalid(let sentence): "The external id can't be used. \(sentence)"
    case .signingFailed: "The token could not be signed."
    }
  }
}
