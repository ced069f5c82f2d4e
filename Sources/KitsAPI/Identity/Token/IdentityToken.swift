package import Crypto
internal import KitsCore

/// An identity token as a client sent it: well-formed, and not yet verified. The caller finds the key by
/// `(environment, keyID)` and lets `verify` decide; nothing else of it may be believed before.
///
/// ```swift
/// let token = try IdentityToken.parse(text)
/// let claims = try token.verify(key: key, appID: app.id.text, now: now)
/// ```
package struct IdentityToken: Sendable {
  /// Which key it says it was signed with, to be compared by bytes.
  package let keyID: String
  private let claims: IdentityTokenClaims
  private let signature: [UInt8]
  private let signed: [UInt8]

  /// Looks at everything that needs neither a key nor the time: sizes first, then characters, then JSON.
  package static func parse(_ text: String) throws(IdentityRejection) -> IdentityToken {
    let parts = try IdentityTokenParts(text)
    return IdentityToken(
      parts, header: try IdentityTokenHeader(parts.header), claims: try IdentityTokenClaims(parts.claims))
  }

  private init(_ parts: IdentityTokenParts, header: IdentityTokenHeader, claims: IdentityTokenClaims) {
    keyID = header.keyID
    self.claims = claims
    signature = parts.signature
    signed = parts.signed
  }

  /// What it says is the app.
  package var issuer: String { claims.issuer }
  /// Whom it says it is about; `ExternalID` holds for it.
  package var claimedExternalID: String { claims.externalID.text }
  /// Seconds since 1970.
  package var issuedAt: Int64 { claims.issuedAt }
  /// Seconds since 1970.
  package var expiresAt: Int64 { claims.expiresAt }

  /// Decides. What depends on time comes last, so that `expired` means that all else is right.
  /// - Parameters:
  ///   - key: The key that the environment of the app registered under `keyID`.
  ///   - appID: The id of the app of the installation, in lower case.
  ///   - now: Seconds since 1970.
  package func verify(key: P256PublicKey, appID: String, now: Int64) throws(IdentityRejection) -> IdentityClaims {
    guard key.verify(signature: signature, message: signed) else { throw .signatureWrong }
    guard issuer.utf8.elementsEqual(appID.utf8) else { throw .issWrong }
    try checkTime(now)
    return IdentityClaims(
      externalID: claimedExternalID, issuedAt: issuedAt, expiresAt: expiresAt, keyID: keyID)
  }

  private func checkTime(_ now: Int64) throws(IdentityRejection) {
    // Arithmetic on what a client sent must not trap; these can't since both are in `identityTokenTime`, and stay
    // checked so that nobody has to remember it.
    let (lifetime, overflow) = expiresAt.subtractingReportingOverflow(issuedAt)
    guard !overflow, Limits.identityTokenLifetimeSeconds.contains(lifetime) else { throw .lifetimeOutOfRange }
    let (sum, isBeyond) = now.addingReportingOverflow(Limits.identityTokenSkewSeconds)
    let latest = isBeyond ? Int64.max : sum
    guard issuedAt <= latest else { throw .issuedInFuture }
    if let notBefore = claims.notBefore, notBefore > latest { throw .notYetValid }
    // RFC 7519: not on or after. No skew here: it would make every token live longer than it says.
    guard now < expiresAt else { throw .expired }
  }

  /// Whom a text claims to be about, for recognising an operation that was answered before and for watching what a
  /// policy would do: never for deciding. nil when there is no such claim, or no id that could be one.
  package static func readableExternalID(_ text: String) -> String? {
    IdentityTokenParts.unverifiedClaims(of: text).flatMap(IdentityTokenClaims.externalID)
  }
}

extension IdentityToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the token: whoever has it is that user until it expires.
  package var description: String { "<redacted>" }
  /// Never the token.
  package var debugDescription: String { "<redacted>" }
  /// Never the token.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
