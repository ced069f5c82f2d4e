internal import Crypto
internal import KitsCore
internal import KitsStore

/// Makes a policy of what lies in the database.
struct SigningSecretOpener: Sendable {
  let ring: KeyRing

  /// A secret that can't be opened is a fault of this server, not of the requests that were signed with it.
  func policy(_ record: SigningRecord) throws(Problem) -> SigningPolicy {
    // Nothing is opened, and nothing can fail, while nothing is checked.
    let isOff = record.signing.mode == .off
    return SigningPolicy(
      mode: record.signing.mode, bucketSeconds: Int64(record.signing.bucketSeconds),
      appToken: Array(record.publicKey.utf8), current: isOff ? nil : try secret(record.current, record),
      previous: isOff ? nil : try secret(record.previous, record))
  }

  private func secret(
    _ sealed: SealedSigningSecret?, _ record: SigningRecord
  ) throws(Problem) -> SigningPolicy.Secret? {
    guard let sealed else { return nil }
    do {
      let secret = try SigningSecret.open(sealed, of: record.app, ring: ring)
      return SigningPolicy.Secret(key: try HMACKey(secret.bytes), goodUntil: sealed.goodUntil)
    } catch {
      throw .internalFault(
        "signing secret \(sealed.number) of app \(record.app) can't be opened under the master key"
          + " \(sealed.sealedUnder)")
    }
  }
}
