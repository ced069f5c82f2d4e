package import Crypto
import JSON

/// Makes the JWT that a provider shows to APNs.
package enum ProviderToken {
  /// Header `alg` and `kid`, claims `iss` and `iat` (a number), ES256 with the raw 64-byte signature.
  package static func mint(teamID: String, keyID: String, issuedAt: Int64, key: P256PrivateKey)
    throws(CryptoError) -> ProviderTokenValue
  {
    var header = JSONWriter()
    header.beginObject()
    header.member("alg", "ES256")
    header.member("kid", keyID)
    header.endObject()
    var claims = JSONWriter()
    claims.beginObject()
    claims.member("iss", teamID)
    claims.member("iat", issuedAt)
    claims.endObject()
    let signed = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
    let signature = try key.sign(Array(signed.utf8))
    return ProviderTokenValue(jwt: signed + "." + Base64URL.encode(signature), issuedAt: issuedAt)
  }
}

/// A minted token. It never shows in texts.
package struct ProviderTokenValue: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package let jwt: String
  /// Unix seconds, as in the claim.
  package let issuedAt: Int64

  package init(jwt: String, issuedAt: Int64) {
    self.jwt = jwt
    self.issuedAt = issuedAt
  }

  package var description: String { "<redacted>" }
  package var debugDescription: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: ["issuedAt": issuedAt]) }
}
