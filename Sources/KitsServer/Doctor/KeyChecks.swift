internal import Crypto
internal import KitsCore
internal import KitsStore
internal import Postgres

/// The apps' APNs keys: readable, sound, and taken by APNs.
struct KeyChecks: Sendable {
  let health: HealthStore
  let masterKeys: MasterKeyStore
  let ring: KeyRing
  let config: Config
  let now: KitsCore.Timestamp

  func examine() async -> [Finding] {
    let apps: [AppDiagnosis]
    var findings: [Finding]
    do throws(PostgresError) {
      apps = try await health.apps()
      findings = Self.judge(try await MasterKeyGuard(ring: ring).look(in: masterKeys), apps, ring)
      findings += Self.judge(sealers: try await health.signingSealers(), ring)
      findings += Self.judge(webhookSealers: try await health.webhookSealers(), ring)
    } catch {
      return [.unread("keys.app", error)]
    }
    let probe: PushServiceProbe
    do { probe = try PushServiceProbe(config.apns) } catch {
      findings.append(
        .problem(
          "apns.settings", "the connection to APNs can't be set up: \(error)", why: "Nothing can be sent.",
          todo: "Correct KITS_APNS_CA and KITS_APNS_PINS."))
      return findings
    }
    var clock: Finding?
    for app in apps where app.platforms.contains(.ios) {
      guard let stored = app.key else {
        findings.append(Self.missing(app))
        continue
      }
      switch Self.open(stored, of: app, ring) {
      case .failure(let fault): findings.append(fault.finding)
      case .success(let key):
        findings.append(
          .fine("keys.app", "\(Self.name(app)): the key \(stored.keyID) of team \(stored.teamID) can be used"))
        let (found, date) = await ask(probe, app, stored, key)
        findings += found
        if let date { clock = HostChecks.pushServiceClock(date, database: now) }
      }
    }
    if apps.isEmpty { findings.append(.note("keys.app", "there are no apps", why: "`kits app create` makes one.")) }
    return findings + (clock.map { [$0] } ?? [])
  }

  /// Both environments: a key may be for one of them only, which is in order.
  private func ask(
    _ probe: PushServiceProbe, _ app: AppDiagnosis, _ stored: SealedAPNsKey, _ key: P256PrivateKey
  ) async -> (findings: [Finding], date: Int64?) {
    var answers: [(environment: APNsEnvironment, answer: PushServiceProbe.Answer)] = []
    for environment in APNsEnvironment.allCases {
      let answer = await probe.ask(
        topic: app.bundleID, teamID: stored.teamID, keyID: stored.keyID, key: key, environment: environment, now: now)
      answers.append((environment, answer))
    }
    let isForOne = answers.contains { !$0.answer.isOtherEnvironment }
    let findings = answers.map { environment, answer in
      answer.finding(app: Self.name(app), environment: environment, isForOneEnvironment: isForOne, key: stored)
    }
    return (findings, answers.compactMap(\.answer.date).last)
  }

  // MARK: Stored keys

  static func judge(_ verdict: MasterKeyGuard.Verdict, _ apps: [AppDiagnosis], _ ring: KeyRing) -> [Finding] {
    let check = "keys.master"
    let used = Set(apps.compactMap(\.key?.sealedUnder))
    let sealing = used.filter { ring.key(.apnsKey, id: $0) == nil }.sorted()
    var findings: [Finding] = sealing.map { id in
      .problem(
        check, "the master key \(id) is not in KITS_MASTER_KEYS, and APNs keys are sealed under it",
        why: "Apps with these keys send nothing, and device tokens made under it are refused.",
        todo: "Put it back into KITS_MASTER_KEYS on every node; without it the APNs keys have to be given anew.")
    }
    switch verdict {
    case .differs(let id):
      findings.append(
        .problem(
          check, "the master key \(id) in KITS_MASTER_KEYS is not the one that this database was used with",
          why: "`kits serve` refuses to start: it would refuse every device token and open no APNs key.",
          todo: "Give \(id) the bytes that it had; a new key needs an id of its own."))
    case .foreign(let ids), .fits(let ids):
      findings += ids.filter { !sealing.contains($0) }.map { id in
        .warning(
          check, "the master key \(id), which this database was used with, is not in KITS_MASTER_KEYS",
          why: "Device tokens made under it are refused: those devices register again.",
          todo: "Put it back, or let it go as docs/operations.md says (Keys) when it was replaced 90 days ago.")
      }
    }
    return findings.isEmpty ? [.fine(check, "every master key that this database was used with is there")] : findings
  }

  static func judge(sealers: [String], _ ring: KeyRing) -> [Finding] {
    sealers.filter { ring.key(.signingSecret, id: $0) == nil }.map { id in
      .problem(
        "keys.signing", "the master key \(id) is not in KITS_MASTER_KEYS, and signing secrets are sealed under it",
        why: "SDK requests of their apps are answered 500 where signatures are checked.",
        todo: "Put it back into KITS_MASTER_KEYS on every node, or rotate the secrets: their SDKs need the new ones.")
    }
  }

  static func judge(webhookSealers: [String], _ ring: KeyRing) -> [Finding] {
    webhookSealers.filter { ring.key(.webhookSecret, id: $0) == nil }.map { id in
      .problem(
        "keys.webhooks", "the master key \(id) is not in KITS_MASTER_KEYS, and webhook secrets are sealed under it",
        why: "Their endpoints get nothing: what happens waits for them.",
        todo: "Put it back into KITS_MASTER_KEYS on every node, or rotate the secrets.")
    }
  }

  /// A fault as a finding.
  struct Fault: Error {
    let finding: Finding
  }

  static func open(
    _ stored: SealedAPNsKey, of app: AppDiagnosis, _ ring: KeyRing
  ) -> Result<P256PrivateKey, Fault> {
    let check = "keys.app"
    let why = "The app sends nothing: its deliveries wait until they expire."
    func fault(_ what: String, todo: String) -> Result<P256PrivateKey, Fault> {
      .failure(Fault(finding: .problem(check, "\(name(app)): \(what)", why: why, todo: todo)))
    }
    let pem: [UInt8]
    do {
      pem = try ring.open(
        stored.sealedPrivateKey, id: stored.sealedUnder, for: .apnsKey, context: stored.sealingContext)
    } catch {
      return fault(
        "the APNs key \(stored.keyID) can't be decrypted under the master key \(stored.sealedUnder)",
        todo: "Set KITS_MASTER_KEYS to what it was when the app was made: same id, same bytes.")
    }
    let again = "Create the key anew at Apple and give it to the app."
    let key: P256PrivateKey
    do { key = try P256PrivateKey(pkcs8PEM: String(decoding: pem, as: UTF8.self)) } catch {
      return fault("the APNs key \(stored.keyID) is no private P-256 key. \(error.message)", todo: again)
    }
    guard SHA256.hash(key.publicKey.spki) == stored.fingerprint else {
      return fault("the APNs key \(stored.keyID) doesn't have the fingerprint that was stored with it", todo: again)
    }
    return .success(key)
  }

  static func missing(_ app: AppDiagnosis) -> Finding {
    .problem(
      "keys.app", "\(name(app)) has no APNs key", why: "All its deliveries to iOS are suppressed (`no_provider`).",
      todo: "Create the app anew with `kits app create --apns-key-file …`.")
  }

  static func name(_ app: AppDiagnosis) -> String { "app \(app.name) (\(app.bundleID))" }
}
