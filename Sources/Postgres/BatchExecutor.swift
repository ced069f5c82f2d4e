/// The connection of one batch. Each statement commits by itself; all must be harmless when the batch is repeated.
package protocol BatchExecutor: Sendable {
  func run<S: Statement>(_ statement: S) async throws(PostgresError) -> [S.Row]
  func execute<S: Statement>(_ statement: S) async throws(PostgresError) -> Int
}

extension BatchExecutor {
  package func first<S: Statement>(_ statement: S) async throws(PostgresError) -> S.Row? {
    try await run(statement).first
  }
}
