internal import Crypto
internal import JSON
internal import KitsAPI
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits app signing …`
enum AppSigning {
  @Sendable static func show(_ invocation: Invocation) async throws {
    let app = try app(invocation)
    let record = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await SigningStore(pool: pool).find(app, of: nil)
    }
    try invocation.output.print(report(try found(record, app)))
  }

  @Sendable static func mode(_ invocation: Invocation) async throws {
    let app = try app(invocation)
    let mode = SigningMode.allCases.first { $0.name == invocation.arguments.value("mode") }
    let seconds = try invocation.arguments.value("bucket-seconds").map { (text) throws(CommandFailure) in
      try number(text, "--bucket-seconds", in: Limits.signingBucketSeconds)
    }
    guard mode != nil || seconds != nil else { throw CommandFailure.usage("give --mode or --bucket-seconds") }
    let answer = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      let store = SigningStore(pool: pool)
      let isChanged = try await store.change(
        app, of: nil, mode: mode, bucketSeconds: seconds, by: .commandLine(.signingModeChanged))
      return (isChanged, try await store.find(app, of: nil))
    }
    let record = try found(answer.1, app)
    guard answer.0 == true else {
      throw CommandFailure.refused("the app \(app) has no signing secret yet: run `kits app signing create \(app)`")
    }
    try invocation.output.print(report(record), else: "The mode was changed.")
  }

  @Sendable static func create(_ invocation: Invocation) async throws {
    try await replace(invocation, number: 1, action: .signingSecretCreated) { record in
      "the app \(record.app) has a signing secret already: `kits app signing rotate` makes another one"
    }
  }

  @Sendable static func rotate(_ invocation: Invocation) async throws {
    let old = try number(invocation.arguments.required("secret-no"), "--secret-no", in: 1...Int64(Int32.max - 1))
    try await replace(invocation, number: old + 1, action: .signingSecretRotated) { record in
      let current = record.current.map { "the current one is \($0.number)" } ?? "there is none"
      return "secret \(old) is not the current one of app \(record.app): \(current). Nothing was changed"
    }
  }

  @Sendable static func revokePrevious(_ invocation: Invocation) async throws {
    let app = try app(invocation)
    let isRevoked = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await SigningStore(pool: pool).revokePrevious(of: app, of: nil, by: .commandLine(.signingSecretRevoked))
    }
    guard isRevoked else {
      throw CommandFailure.refused("there is no app \(app), or no replaced secret of it that is still good")
    }
    try invocation.output.print(
      Report([("app_id", .string(app.text)), ("revoked", true)]), else: "The previous secret was revoked.")
  }

  @Sendable static func reveal(_ invocation: Invocation) async throws {
    let app = try app(invocation)
    let (database, ring) = try Settings.operation(invocation)
    let record = try await OperatorDatabase.use(database, ring: ring) { (pool) throws(PostgresError) in
      try await SigningStore(pool: pool).reveal(app, of: nil, by: .commandLine(.signingSecretRevealed))
    }
    let known = try found(record, app)
    guard let current = known.current else { throw CommandFailure.refused("the app \(app) has no signing secret") }
    let previous = try known.previous.map { (sealed) throws(CommandFailure) in try open(sealed, app, ring) }
    try invocation.output.print(
      Report([
        ("app_id", .string(app.text)), ("app_token", .string(known.publicKey)),
        ("secret_no", .integer(Int(current.number))), ("secret", .string(try open(current, app, ring))),
        ("previous_secret", previous.map { .string($0) } ?? .null),
      ]))
  }

  private static func replace(
    _ invocation: Invocation, number: Int32, action: AuditAction, refusal: (SigningRecord) -> String
  ) async throws {
    let app = try app(invocation)
    let (database, ring) = try Settings.operation(invocation)
    let secret = SigningSecret.generate()
    let new: NewSigningSecret
    do { new = try secret.sealed(for: app, number: number, ring: ring) } catch {
      throw CommandFailure.refused("the secret could not be encrypted: \(error)")
    }
    let answer = try await OperatorDatabase.use(database, ring: ring) { (pool) throws(PostgresError) in
      let store = SigningStore(pool: pool)
      let call = AuditedCall.commandLine(action)
      let isDone =
        action == .signingSecretCreated
        ? try await store.create(new, for: app, of: nil, by: call)
        : try await store.rotate(to: new, for: app, of: nil, by: call)
      return (isDone, try await store.find(app, of: nil))
    }
    let record = try found(answer.1, app)
    guard answer.0 else { throw CommandFailure.refused(refusal(record)) }
    try invocation.output.print(
      Report([
        ("app_id", .string(app.text)), ("app_token", .string(record.publicKey)),
        ("secret_no", .integer(Int(number))), ("secret", .string(secret.text)),
      ]),
      else: "Secret \(number) was made; `kits app signing reveal` shows it.")
  }

  private static func report(_ record: SigningRecord) -> Report {
    Report([
      ("app_id", .string(record.app.text)), ("app_token", .string(record.publicKey)),
      ("mode", .string(record.signing.mode.name)), ("bucket_seconds", .integer(Int(record.signing.bucketSeconds))),
      ("secret_no", record.current.map { .integer(Int($0.number)) } ?? .null),
      ("previous_secret_no", record.previous.map { .integer(Int($0.number)) } ?? .null),
      (
        "previous_good_until",
        record.previous?.goodUntil.map { .string(RFC3339.format($0.microseconds)) } ?? .null
      ),
    ])
  }

  private static func open(
    _ sealed: SealedSigningSecret, _ app: AppID, _ ring: KeyRing
  ) throws(CommandFailure) -> String {
    do { return try SigningSecret.open(sealed, of: app, ring: ring).text } catch {
      throw .refused(
        "secret \(sealed.number) can't be decrypted under the master key \(LogText.escaped(sealed.sealedUnder))")
    }
  }

  private static func app(_ invocation: Invocation) throws(CommandFailure) -> AppID {
    try OperatorInput.id(invocation.arguments.required("APP_ID"), "APP_ID")
  }

  private static func found(_ record: SigningRecord?, _ app: AppID) throws(CommandFailure) -> SigningRecord {
    guard let record else { throw .refused("there is no app \(app)") }
    return record
  }

  private static func number(
    _ text: String, _ option: String, in range: ClosedRange<Int64>
  ) throws(CommandFailure) -> Int32 {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int32(text), range.contains(Int64(value)) else {
      throw .usage("\(option) must be a whole number, \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}
