package import KitsCore
package import Postgres

/// Messages that start later: kept, changed, and started when their time has come.
package struct ScheduleStore: Sendable {
  private let pool: ConnectionPool
  /// Of bodies that are started together.
  private let bytesPerStart: Int64 = 4 * 1024 * 1024

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  /// Nil when another request with the same idempotency key came first: admit again to get its answer.
  package func schedule(
    _ new: NewSchedule, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> CreatedMessage? {
    try await pool.first(ScheduleMessage(new: new), deadline: deadline)
  }

  package func editable(
    environment: EnvironmentNumber, id: MessageID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> EditableMessage? {
    try await pool.first(ReadEditableMessage(environment: environment, id: id), deadline: deadline)
  }

  /// Nil when there is no such message.
  package func revise(
    _ change: ScheduleRevision, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> ScheduleRevision.Answer? {
    try await pool.first(ReviseSchedule(change: change), deadline: deadline)
  }

  package func knowsZone(_ name: String, deadline: ContinuousClock.Instant) async throws(PostgresError) -> Bool {
    try await pool.first(FindZone(name: name), deadline: deadline) ?? false
  }

  /// Why a message could not be started, or one of those that were to be started with it.
  package struct Refusal: Error {
    package let message: DueMessage
    package let cause: any Error
    package let count: Int
  }

  /// Starts up to `limit` messages whose time has come, all or none: they are locked, made of what was kept, and
  /// planned in one transaction. Of what a process that is killed had begun nothing is left.
  ///
  /// - Returns: those that started.
  /// - Throws: `Refusal` when a message is at fault.
  package func startDue(
    limit: Int32, compose: @escaping @Sendable (DueMessage) async throws -> NewMessage
  ) async throws -> [MessageID] {
    let bytes = bytesPerStart
    return try await pool.transaction { transaction in
      let due = try await transaction.run(ClaimDueMessages(limit: limit, bytes: bytes))
      guard let first = due.first else { return [] }
      var messages: [NewMessage] = []
      for message in due {
        do {
          messages.append(try await compose(message))
        } catch {
          throw Refusal(message: message, cause: error, count: 1)
        }
      }
      do {
        let rows = try await transaction.run(CreateMessages(messages: messages))
        return rows.compactMap { row in if case .created(_, let created) = row { created.id } else { nil } }
      } catch let error as PostgresError where error.blamesValue {
        throw Refusal(message: first, cause: error, count: due.count)
      }
    }
  }

  package func postpone(_ message: DueMessage) async throws(PostgresError) {
    _ = try await pool.run(PostponeStart(message: message))
  }
}

extension MessageStore {
  package var schedules: ScheduleStore { ScheduleStore(pool: pool) }
}

extension DeliveryStore {
  package var schedules: ScheduleStore { ScheduleStore(pool: pool) }
}
