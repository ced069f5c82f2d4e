internal import Crypto
import Glibc
internal import KitsAPI
internal import KitsCore

/// `kits identity verify`
enum VerifyIdentityToken {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let app: AppID = try OperatorInput.id(arguments.required("app"), "--app")
    let key = try publicKey(arguments)
    let text = try IdentityInput.text(arguments.value("token-file") ?? "-", what: "token")
    let claims = try verified(IdentityInput.trimmed(text), key, app)
    try invocation.output.print(
      Report([
        ("external_id", .string(claims.externalID)), ("key_id", .string(claims.keyID)), ("app_id", .string(app.text)),
        ("issued_at", .string(IdentityInput.instant(claims.issuedAt))),
        ("expires_at", .string(IdentityInput.instant(claims.expiresAt))),
      ]))
  }

  private static func publicKey(_ arguments: Arguments) throws(CommandFailure) -> P256PublicKey {
    let pem = try IdentityInput.text(arguments.required("public-key-file"), what: "public key")
    do {
      return try P256PublicKey(spkiPEM: pem)
    } catch {
      throw .refused("the public key file is not usable. \(error.message)")
    }
  }

  private static func verified(
    _ text: String, _ key: P256PublicKey, _ app: AppID
  ) throws(CommandFailure) -> IdentityClaims {
    do {
      return try IdentityToken.parse(text).verify(key: key, appID: app.text, now: Int64(time(nil)))
    } catch {
      throw .refused("the token is refused: \(error.rawValue)\n\(error.sentence)")
    }
  }
}
