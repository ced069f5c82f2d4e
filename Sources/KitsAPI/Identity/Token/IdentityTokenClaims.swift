internal import JSON
internal import KitsCore

/// The claims of a token, each of the right type, before anyone knows whether they are true. Claims that Kits doesn't
/// know are ignored; of those it knows there is one spelling and one place.
struct IdentityTokenClaims: Sendable {
  let issuer: String
  let issuedAt: Int64
  let expiresAt: Int64
  let notBefore: Int64?
  let externalID: ExternalID

  private static let audience: JSONValue = .string("kits:identity")

  init(_ bytes: [UInt8]) throws(IdentityRejection) {
    guard let members = Self.object(bytes) else { throw .claimsMalformed }
    guard let issuer = members["iss"]?.string else { throw .issWrong }
    let audience = members["aud"]
    guard audience == Self.audience || audience == .array([Self.audience]) else { throw .audWrong }
    guard let issuedAt = Self.time(members["iat"]) else { throw .iatInvalid }
    guard let expiresAt = Self.time(members["exp"]) else { throw .expInvalid }
    let notBefore = members["nbf"]
    if notBefore != nil, Self.time(notBefore) == nil { throw .nbfInvalid }
    guard let claimed = Self.claimedExternalID(members) else { throw .externalIDMissing }
    guard let externalID = ExternalID(claimed) else { throw .externalIDInvalid }
    self.issuer = issuer
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.notBefore = Self.time(notBefore)
    self.externalID = externalID
  }

  /// The user that claims speak of, whatever else is wrong with them.
  static func externalID(of bytes: [UInt8]) -> String? {
    guard let text = object(bytes).flatMap(claimedExternalID), ExternalID(text) != nil else { return nil }
    return text
  }

  private static func object(_ bytes: [UInt8]) -> JSONObject? {
    (try? JSON.parse(bytes, maxDepth: Limits.jsonDepth))?.object
  }

  private static func claimedExternalID(_ members: JSONObject) -> String? {
    members["identity"]?.object?["external_id"]?.string
  }

  /// Written as an integer: `1.7e9` and `1700000000.0` are reals to the parser.
  private static func time(_ value: JSONValue?) -> Int64? {
    value?.integer.flatMap { Limits.identityTokenTime.contains($0) ? $0 : nil }
  }
}
