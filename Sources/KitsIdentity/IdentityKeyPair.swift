internal import Crypto

/// Makes a new pair of keys for identity tokens. Keep the private half where your backend keeps its secrets; register
/// the public half with Kits under a key id of your choice. Kits never needs the private half and refuses it.
public func generateIdentityKeyPair() -> IdentityKeyPair {
  let key = P256PrivateKey()
  return IdentityKeyPair(privateKeyPEM: key.pkcs8PEM, publicKeyPEM: key.publicKey.spkiPEM)
}

/// Both halves of a P-256 key in PEM.
public struct IdentityKeyPair: Sendable {
  /// PKCS#8 (`BEGIN PRIVATE KEY`): for `createIdentityTokenSigner`, and nobody else.
  public let privateKeyPEM: String
  /// SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`): what is registered with Kits.
  public let publicKeyPEM: String
}

extension IdentityKeyPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the keys.
  public var description: String { "<redacted>" }
  /// Never the keys.
  public var debugDescription: String { "<redacted>" }
  /// Never the keys.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
