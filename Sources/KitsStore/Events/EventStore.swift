import KitsCore
package import Postgres

/// What devices report: events of notifications, and activity.
package struct EventStore: Sendable {
  private let events: Batcher<EventReport, EventReport.Answer>
  private let activity: Batcher<ActivityReport, ActivityReport.Answer>

  /// About what one event takes in memory and on the wire.
  private static let bytesPerEvent = 128
  /// Events that one statement records at most: a request of a hundred counts as a hundred.
  private static let eventsPerBatch = 1_024
  /// A whole audience answers within seconds; whoever waits holds a connection, so these bound the queue first.
  private static let mostQueued = 32_768

  package init(pool: ConnectionPool) {
    events = Self.eventBatcher(pool)
    activity = Self.activityBatcher(pool)
  }

  /// Durable when it is answered.
  package func record(
    _ report: EventReport, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> EventReport.Answer {
    try await events.submit(report, deadline: deadline)
  }

  /// Durable when it is answered.
  package func record(
    _ report: ActivityReport, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> ActivityReport.Answer {
    try await activity.submit(report, deadline: deadline)
  }

  private static func eventBatcher(_ pool: ConnectionPool) -> Batcher<EventReport, EventReport.Answer> {
    var limits = BatchLimits()
    limits.maxBatchBytes = bytesPerEvent * eventsPerBatch
    limits.maxQueuedRows = mostQueued
    return Batcher(
      name: "events", pool: pool, lanes: 2, limits: limits,
      keys: { [.int($0.installation.value)] },
      tenant: { $0.app.value },
      bytes: { bytesPerEvent * max(1, $0.events.count) },
      perform: { batch, executor in
        let rows = try await executor.run(RecordEvents(reports: batch))
        return BatchedRow.gather(rows, count: batch.count).map { answers in
          switch answers {
          case .answers(let answers): .answer(.events(answers))
          case .gone: .answer(.gone)
          case .busy: .busy
          }
        }
      })
  }

  private static func activityBatcher(_ pool: ConnectionPool) -> Batcher<ActivityReport, ActivityReport.Answer> {
    Batcher(
      name: "activity", pool: pool,
      keys: { [.int($0.installation.value)] },
      tenant: { $0.app.value },
      bytes: { $0.records.reduce(bytesPerEvent) { $0 + bytesPerEvent + $1.properties.count } },
      perform: { batch, executor in
        let rows = try await executor.run(RecordActivity(reports: batch))
        return BatchedRow.gather(rows, count: batch.count).map { answers in
          switch answers {
          case .answers(let answers): .answer(.records(answers))
          case .gone: .answer(.gone)
          case .busy: .busy
          }
        }
      })
  }
}
