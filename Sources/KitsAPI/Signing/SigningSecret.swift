package import Crypto
package import KitsCore
package import KitsStore

/// The secret that an app's SDKs sign with: 32 random bytes, shown as 64 hexadecimal digits.
package struct SigningSecret: Sendable {
  package let bytes: [UInt8]
  private static let count = 32

  package static func generate() -> SigningSecret { SigningSecret(bytes: SystemRandom.bytes(count)) }

  /// For the person who asked for it, and nobody else.
  package var text: String { Hex.encode(bytes) }

  package func sealed(
    for app: AppID, number: Int32, ring: KeyRing
  ) throws(CryptoError) -> NewSigningSecret {
    let context = SealedSigningSecret.sealingContext(app, number: number)
    let (id, sealed) = try ring.seal(bytes, for: .signingSecret, context: context)
    return NewSigningSecret(number: number, sealedUnder: id, sealed: sealed)
  }

  /// Fails when the ring hasn't the master key any more, or the bytes belong to another app or number.
  package static func open(
    _ secret: SealedSigningSecret, of app: AppID, ring: KeyRing
  ) throws(CryptoError) -> SigningSecret {
    let context = SealedSigningSecret.sealingContext(app, number: secret.number)
    return SigningSecret(
      bytes: try ring.open(secret.sealed, id: secret.sealedUnder, for: .signingSecret, context: context))
  }
}

extension SigningSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "<redacted>" }
  package var debugDescription: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
