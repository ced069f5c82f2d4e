internal import Crypto
internal import KitsCore
internal import KitsStore

/// The secret of an endpoint in the form of Standard Webhooks: `whsec_` and the key in base64.
struct WebhookSecret: Sendable {
  private let bytes: [UInt8]
  private static let prefix = "whsec_"
  private static let generatedBytes = 32

  static func generate() -> WebhookSecret { WebhookSecret(bytes: SystemRandom.bytes(generatedBytes)) }

  /// One that the customer chose; nil unless it is well-formed and long enough.
  init?(_ text: String) {
    guard text.hasPrefix(Self.prefix), let bytes = Base64.decode(String(text.dropFirst(Self.prefix.count))),
      Limits.webhookSecretBytes.contains(bytes.count)
    else { return nil }
    self.bytes = bytes
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// For the person who asked for it, once.
  var text: String { Self.prefix + Base64.encode(bytes) }

  func sealed(for webhook: WebhookID, ring: KeyRing) throws(Problem) -> SealedWebhookSecret {
    do {
      let (id, sealed) = try ring.seal(
        bytes, for: .webhookSecret, context: SealedWebhookSecret.sealingContext(webhook))
      return SealedWebhookSecret(sealedUnder: id, sealed: sealed)
    } catch {
      throw .internalFault("a webhook secret can't be sealed: \(error)")
    }
  }
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "<redacted>" }
  var debugDescription: String { "<redacted>" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
