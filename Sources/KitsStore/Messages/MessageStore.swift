package import KitsCore
package import Postgres

/// Messages as callers create, read and cancel them.
package struct MessageStore: Sendable {
  private let pool: ConnectionPool
  private let admissions: Batcher<CreationRequest, CreationRequest.Admission?>
  private let creations: Batcher<NewMessage, CreatedMessage?>

  package init(pool: ConnectionPool) {
    self.pool = pool
    admissions = Batcher(
      name: "admit_message", pool: pool, keys: { _ in [] }, tenant: { _ in 0 }, bytes: { _ in 128 },
      perform: { batch, executor in
        var answers: [BatchResult<CreationRequest.Admission?>] = Array(repeating: .answer(nil), count: batch.count)
        for (index, admission) in try await executor.run(AdmitMessageCreations(requests: batch)) {
          answers[index] = .answer(admission)
        }
        return answers
      })
    creations = Batcher(
      name: "create_message", pool: pool,
      keys: { message in message.idempotency.map { [.bytes(message.app.bytes + $0.keyHash)] } ?? [] },
      tenant: { $0.app.value },
      bytes: { message in
        message.payloads.localized.reduce(
          message.contentJSON.count + message.payloads.base.count + message.target.byteCount
            + message.excluded.count * 16
        ) { $0 + $1.payload.count }
      },
      perform: { batch, executor in
        var answers: [BatchResult<CreatedMessage?>] = Array(repeating: .answer(nil), count: batch.count)
        for row in try await executor.run(CreateMessages(messages: batch)) {
          if case .created(let index, let created) = row { answers[index] = .answer(created) }
        }
        return answers
      })
  }

  /// Whose key, which app, and the earlier answer under the same idempotency key; nil when the key is not valid.
  package func admit(
    _ request: CreationRequest, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> CreationRequest.Admission? {
    try await admissions.submit(request, deadline: deadline)
  }

  /// Nil when another request with the same idempotency key came first: admit again to get its answer.
  package func create(
    _ message: NewMessage, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> CreatedMessage? {
    try await creations.submit(message, deadline: deadline)
  }

  /// What a target names that the app doesn't have.
  package func unmatched(
    _ target: MessageTarget, app: AppNumber, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> MessageRecord.Unmatched {
    switch target {
    case .everyone, .segments, .filter, .testDevices: return .none
    case .installations(let ids):
      return try await pool.first(FindUnmatched(app: app, installations: ids), deadline: deadline) ?? .none
    case .users(let ids):
      return try await pool.first(FindUnmatchedUsers(app: app, users: ids), deadline: deadline) ?? .none
    }
  }

  package func read(
    environment: EnvironmentNumber, id: MessageID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> (app: AppNumber, message: MessageRecord)? {
    try await pool.first(ReadMessage(environment: environment, id: id), deadline: deadline)
  }

  /// The newest first. The contents hold the title alone.
  package func list(
    _ selection: MessageSelection, limit: Int32, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [MessageRecord] {
    try await pool.run(ListMessages(selection: selection, limit: limit), deadline: deadline)
  }

  /// The outcomes of a message by class and reason.
  package func outcomes(
    app: AppNumber, message: MessageNumber, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> (ledger: Ledger, reasons: [Ledger.ReasonCount]) {
    let rows = try await pool.run(CountOutcomes(app: app, message: message), deadline: deadline)
    let reasons = rows.map(\.count)
    return (ledger: Ledger(targeted: rows.first?.targeted ?? 0, reasons: reasons), reasons: reasons)
  }

  /// The state it had; nil when the environment has no such message.
  package func cancel(
    environment: EnvironmentNumber, id: MessageID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> MessageState? {
    try await pool.first(CancelMessage(environment: environment, id: id), deadline: deadline)
  }
}

extension MessageTarget {
  fileprivate var byteCount: Int {
    switch self {
    case .everyone, .testDevices: 0
    // A condition is a hundred bytes or so; those with long lists have their share in the limit of a body.
    case .filter(let filter): filter.leaves * 128
    case .segments(let ids): ids.count * 16
    case .installations(let ids): ids.count * 16
    case .users(let ids): ids.reduce(0) { $0 + $1.text.utf8.count }
    }
  }
}

extension AppNumber {
  /// An idempotency key belongs to its app: two tenants that chose the same one never wait for each other.
  fileprivate var bytes: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
