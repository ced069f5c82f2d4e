internal import Synchronization

/// Several statements that are applied together or not at all. Only valid inside the closure of `transaction`.
package final class Transaction: Sendable {
  private let connection: Connection
  package let deadline: ContinuousClock.Instant
  private let isOver = Atomic<Bool>(false)

  init(_ connection: Connection, deadline: ContinuousClock.Instant) {
    self.connection = connection
    self.deadline = deadline
  }

  package func run<S: Statement>(_ statement: S) async throws(PostgresError) -> [S.Row] {
    let command = try Command(statement)
    try check()
    return try await connection.run(S.self, command, until: deadline)
  }

  package func first<S: Statement>(_ statement: S) async throws(PostgresError) -> S.Row? {
    try await run(statement).first
  }

  @discardableResult
  package func execute<S: Statement>(_ statement: S) async throws(PostgresError) -> Int {
    let command = try Command(statement)
    try check()
    return try await connection.execute(command, until: deadline)
  }

  package func run<Row>(_ statement: DynamicStatement<Row>) async throws(PostgresError) -> [Row] {
    let command = try Command(statement)
    try check()
    return try await connection.run(command, until: deadline, statement.decode)
  }

  package func script(_ sql: String) async throws(PostgresError) {
    try check()
    try await connection.script(sql, label: "script", until: deadline)
  }

  /// Rows for a `COPY … FROM STDIN (FORMAT binary)`; answers how many were taken.
  @discardableResult
  package func copy(_ sql: String, label: String, _ rows: CopyRows) async throws(PostgresError) -> Int {
    if let defect = rows.defect { throw defect }
    try check()
    return try await connection.copy(sql, label: label, rows.finished, until: deadline)
  }

  func end() { isOver.store(true, ordering: .releasing) }

  /// The connection may already serve someone else.
  private func check() throws(PostgresError) {
    if isOver.load(ordering: .acquiring) { throw .unavailable("the transaction is over") }
  }
}
