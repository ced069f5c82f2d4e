/// A token as `IdentityTokenSigner` makes it. Whoever has it can log in as its user until it expires: send it to that
/// user's device alone, with `Cache-Control: no-store`, and keep it out of logs.
public struct SignedIdentityToken: Sendable {
  /// The text that the device sends as `token`.
  public let token: String
  /// From when on it is worth nothing, in seconds since 1970.
  public let expiresAt: Int64
}

extension SignedIdentityToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the token.
  public var description: String { "<redacted>" }
  /// Never the token.
  public var debugDescription: String { "<redacted>" }
  /// Never the token.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
