import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

struct FilterSQLTests {
  private struct AsksAboutUser: Statement {
    let filters: [Filter]

    static let sql = """
      SELECT jsonb_path_exists(f.filter::jsonb, '\(FilterSQL.asksAboutUser)')
      FROM unnest($1::text[]) WITH ORDINALITY AS f (filter, ord)
      ORDER BY f.ord
      """

    func bind(to parameters: inout Parameters) {
      parameters.add(filters.map { String(decoding: FilterWriter.bytes($0), as: UTF8.self) })
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
  }

  @Test("A stored filter asks about the user exactly when the filter does, whatever the field and the nesting")
  func agrees() async throws {
    var random = RandomFilter(random: SplitMix(seed: 7), now: 1_800_000_000_000_000)
    var filters: [Filter] = []
    for (field, op) in RandomFilter.pairs { filters.append(.condition(random.condition(field, op))) }
    for _ in 0..<300 { filters.append(random.tree(depth: 5)) }
    let all = filters
    try await withDatabase { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      let found = try await pool.run(AsksAboutUser(filters: all))
      #expect(found == all.map(\.dependsOnUser))
      #expect(found.contains(true) && found.contains(false))
      await pool.close()
    }
  }
}
