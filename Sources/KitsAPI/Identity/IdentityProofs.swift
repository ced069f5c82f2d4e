internal import Crypto
internal import KitsCore

/// Finds what a proof is worth, as far as that needs no row that can change. Nothing is refused here: the statement
/// decides in the order of the rules, and a replay comes before the proof.
struct IdentityProofs: Sendable {
  let directory: IdentityDirectory
  let keys: KeyRing
  /// Milliseconds since 1970.
  let now: @Sendable () -> Int64

  /// - Returns: nil when the app of the device token is gone.
  func login(_ text: String, of device: DeviceToken, _ change: IdentityChange) async throws(Problem)
    -> IdentityOperation.Wish?
  {
    if text.utf8.starts(with: LegacyProof.prefix.utf8) { return legacy(text, of: device, change) }
    let token: IdentityToken
    do {
      token = try IdentityToken.parse(text)
    } catch {
      return Self.wish(IdentityToken.readableExternalID(text), cause: error.rawValue)
    }
    guard let home = try await directory.home(of: device.app) else { return nil }
    guard let key = try await directory.key(token.keyID, of: home.environment) else {
      return Self.wish(token.claimedExternalID, cause: IdentityRejection.kidUnknown.rawValue)
    }
    do {
      let claims = try token.verify(key: key, appID: home.id.text, now: seconds)
      return Self.wish(claims.externalID, cause: nil, keyID: token.keyID, issuedAt: claims.issuedAt)
    } catch {
      return Self.wish(token.claimedExternalID, cause: error.rawValue, keyID: token.keyID)
    }
  }

  private func legacy(_ text: String, of device: DeviceToken, _ change: IdentityChange) -> IdentityOperation.Wish {
    guard let sealed = LegacyProof.read(text) else {
      return Self.wish(nil, cause: LegacyProof.Fault.malformed.rawValue)
    }
    do {
      let proof = try sealed.open(
        with: keys, installation: device.id, binding: change.expectedBinding, operation: change.operation, now: seconds)
      return Self.wish(proof.externalID.text, cause: nil, issuedAt: proof.issuedAt)
    } catch {
      return Self.wish(sealed.proof.externalID.text, cause: error.rawValue)
    }
  }

  private static func wish(
    _ externalID: String?, cause: String?, keyID: String? = nil, issuedAt: Int64? = nil
  ) -> IdentityOperation.Wish {
    .login(
      externalID: externalID,
      by: .proof(IdentityOperation.ProofVerdict(cause: cause, keyID: keyID, issuedAt: issuedAt)))
  }

  private var seconds: Int64 { now() / 1_000 }

  /// Whether a fresh proof would do: all that a client is told about a cause.
  static func isExpiry(_ cause: String) -> Bool {
    cause == IdentityCause.userErased || cause == LegacyProof.Fault.expired.rawValue
      || IdentityRejection(rawValue: cause)?.isExpiry == true
  }
}
