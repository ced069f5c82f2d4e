import FoundationEssentials
import KitsCore
import KitsStore
import Postgres
import TestSupport

/// A migrated database with one app and `count` reachable installations, and the stores over it.
struct World {
  let pool: ConnectionPool
  let access: AccessStore
  let installations: InstallationStore
  let messages: MessageStore
  let node: DeliveryStore
  let app: AppRecord
  let members: [Installation]

  static func with(
    installations count: Int, _ body: (World) async throws -> Void
  ) async throws {
    try await withDatabase { url in
      var configuration = PoolConfiguration(url: url)
      configuration.size = 4
      let pool = ConnectionPool(configuration)
      try await body(try await World(pool: pool, count: count))
      await pool.close()
    }
  }

  private init(pool: ConnectionPool, count: Int) async throws {
    self.pool = pool
    access = AccessStore(pool: pool)
    installations = InstallationStore(pool: pool)
    messages = MessageStore(pool: pool)
    node = DeliveryStore(pool: pool, owner: 1, leaseSeconds: 60)
    let environment = EnvironmentID(UUID())
    try await access.createProject(
      ProjectID(UUID()), name: "demo", environment: environment, environmentName: "production",
      by: .commandLine(.projectCreated))
    let key = SealedAPNsKey(
      teamID: "TEAM000001", keyID: "KEY0000001", fingerprint: [1], sealedUnder: "a", sealedPrivateKey: [2])
    _ = try await access.createApp(
      NewApp(
        id: AppID(UUID()), environment: environment, name: "demo", bundleID: "com.example.demo", platforms: [.ios],
        publicKey: "kits_pk_demo", apnsKey: key), by: .commandLine(.appCreated))
    app = try await access.apps(environment: environment)[0]
    var members: [Installation] = []
    for number in 0..<count {
      members.append(try await Self.register(installations, token: Self.token(number)))
    }
    self.members = members
  }

  static func token(_ number: Int) -> String {
    let hex = String(number, radix: 16)
    return String(repeating: "0", count: 64 - hex.count) + hex
  }

  static func register(_ store: InstallationStore, token: String) async throws -> Installation {
    var state = DesiredState()
    guard let pushToken = PushToken(token, platform: .ios) else { throw Surprise("not a token: \(token)") }
    state.pushToken = .set(pushToken)
    state.permission = .authorized
    let registration = Registration(
      publicKey: "kits_pk_demo", keyHash: Array(UUID().uuidString.utf8), id: InstallationID(UUID()),
      bindingID: BindingID(UUID()), platform: .ios, state: state, stateRevision: 1, stateHash: [1])
    let answer = try await installations(store, registration)
    guard case .registered(let installation) = answer else { throw Surprise("\(answer)") }
    return installation
  }

  private static func installations(
    _ store: InstallationStore, _ registration: Registration
  ) async throws -> Registration.Answer {
    try await store.register(registration, deadline: .now + .seconds(20))
  }

  /// Creates a message and returns how the delivery half calls it.
  func send(
    _ target: MessageTarget = .everyone, ttl: Int32 = 3_600, onUnknown: OnUnknown = .resend,
    isVerifiedOnly: Bool = false, excluded: [SegmentID] = [], guards: AudienceGuards = .none,
    dependsOnUser: Bool? = nil
  ) async throws -> (id: MessageID, open: OpenMessage) {
    let id = MessageID(UUID())
    _ = try await messages.create(
      NewMessage(
        id: id, app: app.number, createdBy: ServerKeyID(UUID()), target: target, excluded: excluded, guards: guards,
        dependsOnUser: dependsOnUser, isVerifiedOnly: isVerifiedOnly, contentJSON: Array("{}".utf8),
        payloads: RenderedPayloads(base: Array(#"{"aps":{}}"#.utf8), localized: []), kind: .alert, priority: .high,
        ttlSeconds: ttl, collapseID: nil, onUnknown: onUnknown, idempotency: nil),
      deadline: .now + .seconds(20))
    guard let read = try await messages.read(environment: app.environment, id: id, deadline: .now + .seconds(20)) else {
      throw Surprise("unread")
    }
    return (id, OpenMessage(app: read.app, message: read.message.number))
  }

  /// Binds an installation to a user, or to nobody, as a login or a logout does.
  func bind(_ installation: Installation, to user: String?, verified: Bool = false) async throws {
    try await pool.script(
      """
      UPDATE installation
      SET external_id = \(user.map { "'\($0)'" } ?? "NULL"), verified = \(verified), binding_id = gen_random_uuid(),
        binding_number = binding_number + 1, binding_changed_at = now(), tags = '{}'
      WHERE installation_no = \(installation.number.value)
      """)
  }

  /// Many reachable installations at once, all bound to one user.
  func fill(_ count: Int, user: String) async throws {
    try await pool.script(
      """
      WITH d AS (
        SELECT \(app.number.value) AS app_no, nextval('installation_no_seq') AS installation_no,
          encode(sha256(convert_to('device ' || i, 'UTF8')), 'hex') AS token
        FROM generate_series(1, \(count)) i
      ),
      o AS (
        INSERT INTO token_owner (app_no, token, installation_no, registered_at)
        SELECT app_no, token, installation_no, now() FROM d
      )
      INSERT INTO installation (app_no, installation_no, installation_id, platform, push_token, token_state,
        token_registered_at, permission, binding_id, external_id, state_revision, state_hash)
      SELECT app_no, installation_no, gen_random_uuid(), 1, token, 1, now(), 3, gen_random_uuid(), '\(user)', 1, ''
      FROM d
      """)
  }

  /// Plans to the end and returns the progress.
  func plan(by store: DeliveryStore? = nil, page: Int32 = 10_000) async throws -> PlanProgress? {
    let store = store ?? node
    guard let claim = try await store.claimPlan() else { return nil }
    while let progress = try await store.planPage(claim, scanWindow: 50_000, pageLimit: page) {
      if progress.isDone { return progress }
    }
    return nil
  }

  func record(_ id: MessageID) async throws -> MessageRecord {
    guard let read = try await messages.read(environment: app.environment, id: id, deadline: .now + .seconds(20)) else {
      throw Surprise("gone")
    }
    return read.message
  }

  func ledger(_ open: OpenMessage) async throws -> Ledger {
    try await messages.outcomes(app: open.app, message: open.message, deadline: .now + .seconds(20)).ledger
  }

  /// Ends all leases as if their owners had fallen silent.
  func expireLeases() async throws {
    try await pool.script("UPDATE message_chunk SET lease_until = '-infinity' WHERE NOT done")
    try await pool.script("UPDATE delivery_retry SET lease_until = '-infinity'")
    try await pool.script("UPDATE message SET plan_lease_until = '-infinity'")
  }
}

struct Surprise: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension WindowAck {
  /// Everything in the window was accepted.
  static func accepted(_ window: ChunkWindow, declaredTo: Int32? = nil, next: Int32 = 100) -> WindowAck {
    WindowAck(
      lease: window.lease, from: window.from,
      outcomes: window.recipients.map { $0.outcome == .none ? OutcomeCode.accepted.byte : $0.outcome.byte },
      retries: [], resent: [], declaredTo: declaredTo, nextWindow: next)
  }
}

extension ConnectionPool {
  /// The first column of each row, a text.
  func texts(_ sql: String) async throws -> [String] {
    let statement = DynamicStatement<String>(name: "texts", sql: sql, parameters: Parameters()) {
      (row) throws(PostgresError) in try row.string()
    }
    return try await run(statement)
  }
}
