import Postgres
import Synchronization

/// Counting reads a whole app, so a node does little of it at once: the others are told to come again.
final class PreviewSlots: Sendable {
  private let taken = Atomic<Int>(0)

  static let limit = 2

  func use<Answer: Sendable>(
    _ body: () async throws(PostgresError) -> Answer
  ) async throws(PostgresError) -> Answer {
    defer { taken.subtract(1, ordering: .relaxed) }
    guard taken.add(1, ordering: .relaxed).newValue <= Self.limit else { throw .overloaded }
    return try await body()
  }
}
