import KitsCore
import Postgres
import TestSupport
import Testing

struct OutcomeCodeTests {
  @Test("The table of outcomes and the code give every byte the same class")
  func classes() async throws {
    let rows = try await withDatabase { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      let statement = DynamicStatement(
        name: "outcomes", sql: "SELECT code, class, reason FROM outcome_code", parameters: Parameters()
      ) { (row: inout RowReader) throws(PostgresError) in
        (code: try row.int16(), outcomeClass: try row.int16(), reason: try row.string())
      }
      let rows = try await pool.run(statement)
      await pool.close()
      return rows
    }
    let named: [OutcomeCode] = [
      .none, .accepted, .inRetry, .noToken, .tokenInactive, .tokenMoved, .permissionDenied, .optedOut,
      .identityChanged, .deleted, .noProvider, .zonePast, .expired, .canceled, .unknown, .otherReason,
    ]
    #expect(Set(rows.map(\.code)).isSuperset(of: named.map { Int16($0.byte) }))
    for row in rows {
      let code = OutcomeCode(try #require(UInt8(exactly: row.code)))
      #expect(code.outcomeClass.rawValue == row.outcomeClass, "\(row.reason)")
      #expect(code.byte >= OutcomeCode.firstReason.byte || named.contains(code), "\(row.reason)")
    }
  }
}
