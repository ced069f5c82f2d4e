internal import JSON
internal import KitsCore

/// The header of a token, which is attacker's input like the rest: it names the key and decides nothing else.
struct IdentityTokenHeader: Sendable {
  let keyID: String

  /// What would have the verifier find its key, its algorithm or the bytes that count elsewhere. Ignoring isn't enough:
  /// whoever put it there expects it to be obeyed.
  private static let forbidden = [
    "crit", "b64", "jwk", "jku", "x5u", "x5c", "x5t", "x5t#S256", "zip", "cty", "enc",
  ]

  init(_ bytes: [UInt8]) throws(IdentityRejection) {
    guard case .object(let members)? = try? JSON.parse(bytes, maxDepth: Limits.jsonDepth) else {
      throw .headerMalformed
    }
    guard !Self.forbidden.contains(where: { members[$0] != nil }) else { throw .headerForbiddenMember }
    guard members["alg"] == .string("ES256") else { throw .algNotES256 }
    if let type = members["typ"], !Self.isJWT(type) { throw .typWrong }
    guard let kid = members["kid"] else { throw .kidMissing }
    guard let keyID = kid.string, Limits.identityKeyIDBytes.contains(keyID.utf8.count) else { throw .kidInvalid }
    self.keyID = keyID
  }

  /// RFC 7519 section 5.1 recommends capitals and compares in any case.
  private static func isJWT(_ type: JSONValue) -> Bool {
    type.string.map { $0.utf8.map { $0 | 0x20 }.elementsEqual("jwt".utf8) } ?? false
  }
}
