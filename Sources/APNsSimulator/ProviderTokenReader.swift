import Crypto
import JSON

/// Verifies provider tokens and remembers the good ones: a client sends the same token with every request, and a
/// signature check for each would be most of the simulator's work. One per worker thread.
final class ProviderTokenReader {
  /// Verified tokens kept. A client has one per key and renews it twice an hour.
  static let limit = 256

  private var known: [String: ProviderToken] = [:]
  private var generation = 0

  func read(_ text: String, keys: KeyRing) -> ProviderToken? {
    if generation != keys.generation {
      known.removeAll()
      generation = keys.generation
    }
    if let token = known[text] { return token }
    guard let token = Self.verify(text, keys: keys) else { return nil }
    if known.count >= Self.limit { known.removeAll() }
    known[text] = token
    return token
  }

  private static func verify(_ text: String, keys: KeyRing) -> ProviderToken? {
    guard text.utf8.count <= ValidationRules.providerTokenBytes else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let head = object(parts[0]), let claims = object(parts[1]) else { return nil }
    guard head["alg"]?.string == "ES256", let keyID = head["kid"]?.string, let key = keys[keyID],
      claims["iss"]?.string == key.teamID, let issuedAt = claims["iat"]?.integer
    else { return nil }
    // Raw r‖s, 64 bytes: a DER signature is longer and is refused by the same check.
    guard let signature = Base64URL.decode(String(parts[2])), signature.count == 64,
      key.publicKey.verify(signature: signature, message: Array((parts[0] + "." + parts[1]).utf8))
    else { return nil }
    return ProviderToken(key: key, issuedAt: issuedAt)
  }

  private static func object(_ part: Substring) -> JSONObject? {
    Base64URL.decode(String(part)).flatMap { try? JSON.parse($0) }?.object
  }
}
