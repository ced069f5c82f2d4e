import KitsCore
package import Postgres

/// What devices report: events of notifications.
package struct EventStore: Sendable {
  private let events: Batcher<EventReport, EventReport.Answer>

  /// About what one event takes in memory and on the wire.
  private static let bytesPerEvent = 128
  /// Events that one statement records at most: a request of a hundred counts as a hundred.
  private static let eventsPerBatch = 1_024
  /// A whole audience answers within seconds; whoever waits holds a connection, so these bound the queue first.
  private static let mostQueued = 32_768

  package init(pool: ConnectionPool) {
    var limits = BatchLimits()
    limits.maxBatchBytes = Self.bytesPerEvent * Self.eventsPerBatch
    limits.maxQueuedRows = Self.mostQueued
    events = Batcher(
      name: "events", pool: pool, lanes: 2, limits: limits,
      keys: { [.int($0.installation.value)] },
      tenant: { $0.app.value },
      bytes: { Self.bytesPerEvent * max(1, $0.events.count) },
      perform: { batch, executor in
        Self.gather(try await executor.run(RecordEvents(reports: batch)), count: batch.count)
      })
  }

  /// Durable when it is answered.
  package func record(
    _ report: EventReport, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> EventReport.Answer {
    try await events.submit(report, deadline: deadline)
  }

  /// The rows come in the order of the events.
  private static func gather(_ rows: [RecordEvents.Row], count: Int) -> [BatchResult<EventReport.Answer>] {
    var answers = [[EventAnswer]](repeating: [], count: count)
    var gone: Set<Int> = []
    var busy: Set<Int> = []
    for row in rows {
      switch row {
      case .answer(let request, _, let answer): answers[request].append(answer)
      case .nothing: break
      case .gone(let request): gone.insert(request)
      case .busy(let request): busy.insert(request)
      }
    }
    return answers.enumerated().map { request, answers in
      if busy.contains(request) { return .busy }
      return .answer(gone.contains(request) ? .gone : .events(answers))
    }
  }
}
