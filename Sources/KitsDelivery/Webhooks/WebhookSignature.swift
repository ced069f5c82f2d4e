import Crypto
import KitsCore
import KitsStore

/// Signs requests as Standard Webhooks describes: HMAC-SHA256 over id, time and body, a signature for each secret.
struct WebhookSignature: Sendable {
  private let keys: [HMACKey]

  /// The keys of an endpoint, the current one first.
  init(_ claim: WebhookClaim, ring: KeyRing) throws(CryptoError) {
    var keys: [HMACKey] = []
    for secret in [claim.secret, claim.previousSecret] {
      guard let secret else { continue }
      let context = SealedWebhookSecret.sealingContext(claim.id)
      keys.append(
        try HMACKey(try ring.open(secret.sealed, id: secret.sealedUnder, for: .webhookSecret, context: context)))
    }
    self.keys = keys
  }

  /// The value of `webhook-signature`.
  func header(id: String, timestamp: Int64, body: [UInt8]) -> String {
    let message = Array("\(id).\(timestamp).".utf8) + body
    return keys.map { "v1,\(Base64.encode($0.authenticate(message)))" }.joined(separator: " ")
  }
}
