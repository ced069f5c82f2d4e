import Foundation
import Postgres
import TestSupport

/// Statements and helpers that several suites use.
struct SelectInt: Statement {
  static let sql = "SELECT $1"
  let value: Int64?
  func bind(to parameters: inout Parameters) { parameters.add(value) }
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64? { try row.int64OrNil() }
}

/// Sleeps in the server.
struct Sleep: Statement {
  static let sql = "SELECT pg_sleep($1::double precision / 1000)::text"
  let milliseconds: Int32
  func bind(to parameters: inout Parameters) { parameters.add(milliseconds) }
  static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.string() }
}

struct BackendPID: Statement {
  static let sql = "SELECT pg_backend_pid()"
  func bind(to parameters: inout Parameters) {}
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 { try row.int32() }
}

struct Terminate: Statement {
  static let sql = "SELECT pg_terminate_backend($1, 5000)"
  let pid: Int32
  func bind(to parameters: inout Parameters) { parameters.add(pid) }
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

struct Insert: Statement {
  typealias Row = NoRow
  static let sql = "INSERT INTO t (id, text) VALUES ($1, $2)"
  let id: Int64
  var text: String? = nil
  func bind(to parameters: inout Parameters) {
    parameters.add(id)
    parameters.add(text)
  }
}

struct Count: Statement {
  static let sql = "SELECT count(*) FROM t"
  func bind(to parameters: inout Parameters) {}
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.int64() }
}

/// Waits until a condition in the database holds; each look is a query, and the test's own time limit ends it.
func eventually(_ pool: ConnectionPool, _ sql: String) async throws {
  let question = DynamicStatement(name: "eventually", sql: sql, parameters: Parameters()) { row throws(PostgresError) in
    try row.boolOrNil() ?? false
  }
  while try await pool.run(question).first != true { await lookAgain() }
}

/// Collects what pool, batcher or migrator report.
final class Journal<Event: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Event] = []
  func add(_ event: Event) { lock.withLock { list.append(event) } }
  var events: [Event] { lock.withLock { list } }
}

/// A database with table `t (id bigint PRIMARY KEY, text text)` and a pool to it.
func withPool<R>(
  _ configure: (inout PoolConfiguration) -> Void = { _ in },
  observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in },
  _ body: (ConnectionPool) async throws -> R
) async throws -> R {
  try await withDatabase(migrations: []) { url in
    var configuration = PoolConfiguration(url: url)
    configure(&configuration)
    let pool = ConnectionPool(configuration, observe: observe)
    try await pool.script("CREATE TABLE t (id bigint CONSTRAINT t_pkey PRIMARY KEY, text text)")
    let result: Result<R, any Error>
    do { result = .success(try await body(pool)) } catch { result = .failure(error) }
    await pool.close()
    return try result.get()
  }
}
