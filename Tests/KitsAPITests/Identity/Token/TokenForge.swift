import Crypto
import KitsAPI

/// Signs any header and any claims, right or wrong, with a key of its own.
struct TokenForge: Sendable {
  let key = P256PrivateKey()

  static let appID = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
  static let now: Int64 = 1_900_000_000
  static let header = #"{"alg":"ES256","kid":"key-1","typ":"JWT"}"#

  /// Claims, each as JSON text; nil leaves one out.
  static func claims(
    iss: String? = #""\#(appID)""#, aud: String? = #""kits:identity""#, iat: String? = "\(now)",
    exp: String? = "\(now + 300)", identity: String? = #"{"external_id":"alice"}"#, more: String = ""
  ) -> String {
    let members = [("iss", iss), ("aud", aud), ("iat", iat), ("exp", exp), ("identity", identity)]
    let texts = members.compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }
    return "{" + texts.joined(separator: ",") + more + "}"
  }

  static func claims(externalID: String) -> String { claims(identity: #"{"external_id":\#(externalID)}"#) }

  func token(header: String = header, claims: String = claims()) throws -> String {
    try token(header: Array(header.utf8), claims: Array(claims.utf8))
  }

  func token(header: [UInt8], claims: [UInt8]) throws -> String {
    let signed = Base64URL.encode(header) + "." + Base64URL.encode(claims)
    return try signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)))
  }

  /// The token with another signature.
  func token(signature: [UInt8]) -> String { Self.unsigned() + "." + Base64URL.encode(signature) }

  static func unsigned(header: String = header, claims: String = claims()) -> String {
    Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
  }

  /// What the verifier says, as the route asks it: `nil` when it accepts.
  func rejection(
    of token: String, by key: P256PublicKey? = nil, appID: String = appID, now: Int64 = now
  ) -> IdentityRejection? {
    do {
      _ = try IdentityToken.parse(token).verify(key: key ?? self.key.publicKey, appID: appID, now: now)
      return nil
    } catch {
      return error
    }
  }

  func rejection(header: String = header, claims: String = claims(), now: Int64 = now) throws -> IdentityRejection? {
    rejection(of: try token(header: header, claims: claims), now: now)
  }
}
