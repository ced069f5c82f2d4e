import APNs
import Crypto
import FoundationEssentials
import KitsCore
import KitsStore

/// The provider token of each APNs key: read from the row that all nodes share, minted when that is older than 40
/// minutes.
actor ProviderTokens {
  /// APNs takes a token for an hour and a new one at most every 20 minutes.
  static let renewAfterSeconds: Int64 = 40 * 60
  /// How long a node trusts what it read.
  private static let trustNanoseconds: UInt64 = 60_000_000_000

  private let store: DeliveryStore
  private let ring: KeyRing
  private let observe: @Sendable (DeliveryEvent) -> Void
  private var cached: [[UInt8]: Known] = [:]

  private struct Known {
    let token: ProviderTokenValue
    let until: BootInstant
    /// When it would have been made by this node's clock that only runs; it can't be set wrong.
    let mintedSeconds: Int64
  }

  init(store: DeliveryStore, ring: KeyRing, observe: @escaping @Sendable (DeliveryEvent) -> Void) {
    self.store = store
    self.ring = ring
    self.observe = observe
  }

  func token(for key: SealedAPNsKey) async throws -> ProviderTokenValue {
    if let known = cached[key.fingerprint], BootInstant.now < known.until {
      observe(.providerTokenUsed(ageSeconds: BootInstant.now.seconds - known.mintedSeconds))
      return known.token
    }
    // Twice: when another node was first, its row is there now.
    for _ in 0..<2 {
      guard let row = try await store.providerToken(key) else { continue }
      if let stored = row.token, row.now.seconds - stored.issuedAt.seconds < Self.renewAfterSeconds {
        return remember(try open(stored, of: key), for: key, at: row.now)
      }
      let minted = try mint(key, at: row.now)
      if try await store.replaceProviderToken(key, with: minted.stored) {
        observe(.providerTokenMinted(teamID: key.teamID, keyID: key.keyID))
        return remember(minted.token, for: key, at: row.now)
      }
    }
    throw ProviderTokenProblem.contended
  }

  /// How long ago the token was made that this node sends with; nil when it knows none. Only differences of one clock
  /// each go into it, so that it is right although the clock that made the token is wrong.
  func ageSeconds(of key: SealedAPNsKey) -> Int64? {
    cached[key.fingerprint].map { BootInstant.now.seconds - $0.mintedSeconds }
  }

  /// The next send reads it again.
  func forget(_ key: SealedAPNsKey) {
    cached[key.fingerprint] = nil
  }

  private func remember(
    _ token: ProviderTokenValue, for key: SealedAPNsKey, at now: Timestamp
  ) -> ProviderTokenValue {
    let read = BootInstant.now
    observe(.providerTokenUsed(ageSeconds: now.seconds - token.issuedAt))
    cached[key.fingerprint] = Known(
      token: token, until: read.advanced(by: .nanoseconds(Int64(Self.trustNanoseconds))),
      mintedSeconds: read.seconds - (now.seconds - token.issuedAt))
    return token
  }

  private func open(_ stored: StoredProviderToken, of key: SealedAPNsKey) throws -> ProviderTokenValue {
    let bytes = try ring.open(
      stored.sealedToken, id: stored.sealedUnder, for: .providerToken, context: key.sealingContext)
    return ProviderTokenValue(jwt: String(decoding: bytes, as: UTF8.self), issuedAt: stored.issuedAt.seconds)
  }

  private func mint(
    _ key: SealedAPNsKey, at now: Timestamp
  ) throws -> (token: ProviderTokenValue, stored: StoredProviderToken) {
    let pem = try ring.open(
      key.sealedPrivateKey, id: key.sealedUnder, for: .apnsKey, context: key.sealingContext)
    let privateKey = try P256PrivateKey(pkcs8PEM: String(decoding: pem, as: UTF8.self))
    let token = try ProviderToken.mint(
      teamID: key.teamID, keyID: key.keyID, issuedAt: now.seconds, key: privateKey)
    let sealed = try ring.seal(Array(token.jwt.utf8), for: .providerToken, context: key.sealingContext)
    let issuedAt = Timestamp(microseconds: now.seconds * 1_000_000)
    return (token, StoredProviderToken(sealedUnder: sealed.id, sealedToken: sealed.sealed, issuedAt: issuedAt))
  }
}

extension BootInstant {
  fileprivate var seconds: Int64 { Int64(nanoseconds / 1_000_000_000) }
}

enum ProviderTokenProblem: Error {
  /// Other nodes kept replacing the token while this one tried to read it.
  case contended
}
