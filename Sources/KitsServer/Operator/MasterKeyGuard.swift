internal import Crypto
internal import KitsStore
internal import Postgres

/// Makes sure that a process works with the master keys of its database. With others it would refuse every device token
/// (a whole fleet would register again), open no APNs key, and seal what no other process can open.
struct MasterKeyGuard: Sendable {
  let ring: KeyRing

  /// A master key that something in the database was made with.
  struct Known: Sendable, Equatable {
    let id: String
    /// Whether the ring has the same key under the id; nil when it has none of that id.
    let isOurs: Bool?
  }

  enum Verdict: Sendable, Equatable {
    /// `missing`: known keys that the ring hasn't. What they made can't be used here.
    case fits(missing: [String])
    /// The ring has another key under this id.
    case differs(String)
    /// The ring has none of these ids.
    case foreign(known: [String])
  }

  static func judge(_ known: [Known]) -> Verdict {
    if let other = known.first(where: { $0.isOurs == false }) { return .differs(other.id) }
    let missing = known.filter { $0.isOurs == nil }.map(\.id)
    return !missing.isEmpty && missing.count == known.count ? .foreign(known: missing) : .fits(missing: missing)
  }

  /// Judges by the checks alone, and writes nothing: for probes.
  func look(in store: MasterKeyStore) async throws(PostgresError) -> Verdict {
    Self.judge(known(try await store.checks()))
  }

  /// Judges by everything there is, and leaves a check of every key of the ring when they fit. Looks again afterwards:
  /// another process may have been first with another key.
  func settle(in store: MasterKeyStore) async throws(PostgresError) -> Verdict {
    let checks = try await store.checks()
    let verdict = Self.judge(known(checks) + samples(try await store.unchecked()))
    let new = ring.ids.filter { id in !checks.contains { $0.id == id } }
    guard case .fits = verdict, !new.isEmpty else { return verdict }
    try await store.add(new.compactMap { id in ring.check(id: id).map { MasterKeyCheck(id: id, value: $0) } })
    return Self.judge(known(try await store.checks()))
  }

  private func known(_ checks: [MasterKeyCheck]) -> [Known] {
    checks.map { check in
      Known(id: check.id, isOurs: ring.check(id: check.id).map { ConstantTime.equal($0, check.value) })
    }
  }

  private func samples(_ keys: [SealedAPNsKey]) -> [Known] {
    keys.map { key in
      guard ring.ids.contains(key.sealedUnder) else { return Known(id: key.sealedUnder, isOurs: nil) }
      let context = SealedAPNsKey.sealingContext(teamID: key.teamID, keyID: key.keyID)
      let opened = try? ring.open(key.sealedPrivateKey, id: key.sealedUnder, for: .apnsKey, context: context)
      return Known(id: key.sealedUnder, isOurs: opened != nil)
    }
  }
}

extension CommandFailure {
  /// Nil when the keys fit.
  static func masterKeys(_ verdict: MasterKeyGuard.Verdict) -> CommandFailure? {
    switch verdict {
    case .fits: nil
    case .differs(let id):
      CommandFailure(
        code: .configuration,
        message: "the master key \(LogText.escaped(id)) in KITS_MASTER_KEYS is not the one that this database was used"
          + " with: device tokens and APNs keys were made with another key of that id")
    case .foreign(let known):
      CommandFailure(
        code: .configuration,
        message: "KITS_MASTER_KEYS has none of the master keys that this database was used with"
          + " (\(known.map(LogText.escaped).joined(separator: ", "))): device tokens and APNs keys were made with those"
      )
    }
  }
}
