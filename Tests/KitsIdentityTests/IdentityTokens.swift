import KitsIdentity

struct IdentityTokens {
  private let signer: IdentityTokenSigner

  init(appID: String, keyID: String, privateKeyPEM: String) throws {
    signer = try createIdentityTokenSigner(appID: appID, keyID: keyID, privateKeyPEM: privateKeyPEM)
  }

  func token(for userID: String) throws -> String {
    try signer.sign(externalID: userID).token
  }
}
