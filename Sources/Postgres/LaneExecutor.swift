/// A batch's statements, one after the other.
struct LaneExecutor: BatchExecutor {
  let connection: Connection
  let timeout: Duration
  let progress: BatchProgress

  func run<S: Statement>(_ statement: S) async throws(PostgresError) -> [S.Row] {
    let rows = try await connection.run(S.self, Command(statement), until: .now + timeout)
    progress.note()
    return rows
  }

  func execute<S: Statement>(_ statement: S) async throws(PostgresError) -> Int {
    let count = try await connection.execute(Command(statement), until: .now + timeout)
    progress.note()
    return count
  }
}
