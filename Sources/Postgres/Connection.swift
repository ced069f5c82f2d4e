internal import CPostgres
internal import Synchronization

/// One session with PostgreSQL. Its methods run on a thread of their own, non-blocking libpq under `poll`, so every
/// wait has a deadline and ends at once when the caller's task is cancelled. Used by one caller at a time (the
/// pool's lease).
package actor Connection {
  package typealias Instant = ContinuousClock.Instant

  nonisolated let thread: ThreadExecutor
  nonisolated let interrupt = Interrupt()
  nonisolated let configuration: PoolConfiguration
  /// Written by the actor, read by the pool when the connection comes back.
  nonisolated private let broken = Atomic<Bool>(false)
  /// The last failure struck before anything of the statement was sent.
  nonisolated private let unsent = Atomic<Bool>(false)

  nonisolated package var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// nil until opened and again after the connection broke.
  var handle: ConnectionHandle?
  var prepared: [ObjectIdentifier: String] = [:]
  /// Between BEGIN and the end; a connection lost then surely applied nothing, until COMMIT is sent.
  var inTransaction = false

  init(_ configuration: PoolConfiguration) throws(PostgresError) {
    self.configuration = configuration
    thread = try ThreadExecutor()
  }

  deinit { thread.stop() }

  nonisolated var isBroken: Bool { broken.load(ordering: .acquiring) }
  nonisolated var failedUnsent: Bool { unsent.load(ordering: .acquiring) }

  func close() {
    handle = nil
    broken.store(true, ordering: .releasing)
  }

  func run<S: Statement>(
    _ type: S.Type, _ command: Command, until deadline: Instant
  ) throws(PostgresError) -> [S.Row] {
    try answer(to: command, until: deadline).rows(S.decode)
  }

  func run<Row>(
    _ command: Command, until deadline: Instant,
    _ decode: @Sendable (inout RowReader) throws(PostgresError) -> Row
  ) throws(PostgresError) -> [Row] {
    try answer(to: command, until: deadline).rows(decode)
  }

  /// The number of rows that it touched.
  func execute(_ command: Command, until deadline: Instant) throws(PostgresError) -> Int {
    try answer(to: command, until: deadline).affectedRows
  }

  /// Any number of statements in the simple protocol, without parameters (migrations, BEGIN, SET).
  func script(_ sql: String, label: String, until deadline: Instant) throws(PostgresError) {
    _ = try exchange(label, until: deadline) { (pointer) in PQsendQuery(pointer, sql) }
  }

  func begin(_ mode: String, until deadline: Instant) throws(PostgresError) {
    try script("BEGIN \(mode)", label: "BEGIN", until: deadline)
    inTransaction = true
  }

  func commit(until deadline: Instant) throws(PostgresError) {
    inTransaction = false
    let result = try exchange("COMMIT", until: deadline) { (pointer) in PQsendQuery(pointer, "COMMIT") }
    // After a failed statement COMMIT means ROLLBACK, and says so only in its tag.
    guard result.commandTag == "COMMIT" else {
      throw .server(ServerError(sqlState: "25P02", message: "the transaction had failed", statement: "COMMIT"))
    }
  }

  /// Gives up the connection when it can't be cleaned.
  func rollback(until deadline: Instant) {
    guard handle != nil else { return }
    inTransaction = false
    interrupt.reset()
    do {
      try script("ROLLBACK", label: "ROLLBACK", until: deadline)
    } catch {
      close()
    }
  }

  /// After a migration's text: is its transaction still ours?
  var isInsideTransaction: Bool { handle.map { PQtransactionStatus($0.pointer) == PQTRANS_INTRANS } ?? false }

  /// Sends the statement, prepared when it has a type, and waits for the whole answer.
  func answer(to command: Command, until deadline: Instant) throws(PostgresError) -> ResultSet {
    let before = inTransaction
    do {
      return try send(command, until: deadline)
    } catch .server(let error) where !before && isForgotten(error) {
      // A migration changed what it answers (0A000), or a proxy gave us another session (26000). Nothing was
      // applied.
      try forget(command, until: deadline)
      return try send(command, until: deadline)
    }
  }

  private func send(_ command: Command, until deadline: Instant) throws(PostgresError) -> ResultSet {
    let name = try prepare(command, until: deadline)
    return try exchange(command.label, until: deadline) { (pointer) in
      command.send(over: pointer, prepared: name)
    }
  }

  /// nil for a statement that is sent unprepared.
  func prepare(_ command: Command, until deadline: Instant) throws(PostgresError) -> String? {
    guard let key = command.key else { return nil }
    if let name = prepared[key] { return name }
    let name = command.preparedName
    do {
      _ = try exchange(command.label, until: deadline) { (pointer) in
        let types = command.parameters.slots.map(\.type)
        return PQsendPrepare(pointer, name, command.sql, Int32(types.count), types)
      }
    } catch .server(let error) where error.sqlState == "42P05" && !inTransaction {
      // Already there: two types with one text, or a proxy's session.
    } catch .outcomeUnknown(let reason) {
      throw .unavailable(reason)
    }
    prepared[key] = name
    return name
  }

  private func isForgotten(_ error: ServerError) -> Bool { error.sqlState == "0A000" || error.sqlState == "26000" }

  private func forget(_ command: Command, until deadline: Instant) throws(PostgresError) {
    guard let key = command.key, let name = prepared.removeValue(forKey: key) else { return }
    try script("DEALLOCATE \"\(name)\"", label: "DEALLOCATE", until: deadline, orIgnoring: "26000")
  }

  private func script(
    _ sql: String, label: String, until deadline: Instant, orIgnoring sqlState: String
  ) throws(PostgresError) {
    do {
      try script(sql, label: label, until: deadline)
    } catch .server(let error) where error.sqlState == sqlState {
      // It was gone already, which is what we wanted.
    }
  }

  /// Closes the connection and says why nobody should use it again.
  func giveUp() {
    handle = nil
    prepared = [:]
    broken.store(true, ordering: .releasing)
  }

  func noteUnsent(_ value: Bool) { unsent.store(value, ordering: .releasing) }
}
