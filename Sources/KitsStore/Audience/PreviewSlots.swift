import Postgres
import Synchronization

/// Counting reads a whole app, so a node does little of it at once: the others are told to come again.
final class PreviewSlots: Sendable {
  private let limit: Int
  private let taken = Atomic<Int>(0)

  init(limit: Int) {
    self.limit = limit
  }

  func use<Answer: Sendable>(
    _ body: () async throws(PostgresError) -> Answer
  ) async throws(PostgresError) -> Answer {
    defer { taken.subtract(1, ordering: .relaxed) }
    guard taken.add(1, ordering: .relaxed).newValue <= limit else { throw .overloaded }
    return try await body()
  }
}
