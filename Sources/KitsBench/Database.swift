import CPostgres
import Foundation

/// One plain connection to the private database: setting up and asking how things stand.
final class Database {
  private let connection: OpaquePointer

  init(url: String) throws(BenchError) {
    guard let connection = PQconnectdb(url) else { throw BenchError("out of memory") }
    self.connection = connection
    guard PQstatus(connection) == CONNECTION_OK else { throw BenchError(String(cString: PQerrorMessage(connection))) }
  }

  deinit { PQfinish(connection) }

  /// The rows of the last statement, as text.
  @discardableResult
  func rows(_ sql: String) throws(BenchError) -> [[String]] {
    let result = PQexec(connection, sql)
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
      throw BenchError(String(cString: PQerrorMessage(connection)))
    }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
    }
  }

  func value(_ sql: String) throws(BenchError) -> String {
    guard let value = try rows(sql).first?.first else { throw BenchError("no row: \(sql)") }
    return value
  }

  func number(_ sql: String) throws(BenchError) -> Int {
    let text = try value(sql)
    guard let number = Int(text) else { throw BenchError("not a number: \(text)") }
    return number
  }
}
