import Foundation
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("What a filter finds")
struct FilterPropertyTests {
  private static let now: Int64 = 1_800_000_000_000_000
  private static let people: Int64 = 400

  /// Another one each time, unless KITS_TEST_SEED asks for one again.
  private static let seed: UInt64 = {
    let asked = ProcessInfo.processInfo.environment["KITS_TEST_SEED"].flatMap(UInt64.init)
    let seed = asked ?? UInt64.random(in: 0..<1_000_000_000)
    print("filters: KITS_TEST_SEED=\(seed)")
    return seed
  }()

  @Test("every operator of every field finds exactly whom it means, and its opposite everyone else (K8)")
  func operators() async throws {
    try await withPopulation { pool, people, random in
      var filters = RandomFilter(random: random, now: Self.now)
      for (field, op) in RandomFilter.pairs {
        for _ in 0..<12 {
          let filter = Filter.condition(filters.condition(field, op))
          try await Self.check(filter, people, pool, "\(field.rawValue) \(op.rawValue)")
          try await Self.check(.not(filter), people, pool, "not \(field.rawValue) \(op.rawValue)")
        }
      }
    }
  }

  @Test("trees of conditions find exactly whom they mean")
  func trees() async throws {
    try await withPopulation { pool, people, random in
      var filters = RandomFilter(random: random, now: Self.now)
      var found = Set<Int>()
      for number in 0..<500 {
        let filter = filters.tree(depth: 6)
        found.insert(try await Self.check(filter, people, pool, "tree \(number)"))
      }
      // The trees tell people apart.
      #expect(found.count > 100)
    }
  }

  @Test("the SQL of the largest filter runs")
  func largest() async throws {
    try await withPopulation { pool, people, random in
      var filters = RandomFilter(random: random, now: Self.now)
      let leaves = (0..<Limits.filterLeaves).map { _ in
        Filter.condition(filters.condition(.tag, .in))
      }
      var filter = Filter.any(leaves)
      for _ in 2..<Limits.filterDepth { filter = .not(filter) }
      #expect(filter.depth == Limits.filterDepth && filter.leaves == Limits.filterLeaves)
      try await Self.check(filter, people, pool, "largest")
    }
  }

  @Test("the database and Swift order versions by the same text")
  func versionKeys() async throws {
    try await withDatabase { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      var random = SplitMix(seed: Self.seed)
      let characters = Array("00112.3.4.-+abZ é'v\n")
      let texts =
        Pool.versions.compactMap { $0 }
        + (0..<2_000).map { _ in
          String(
            (0..<Int.random(in: 1...12, using: &random)).map { _ in characters.randomElement(using: &random) ?? "1" })
        }
      let keys = try await Self.keys(of: texts, pool)
      #expect(keys.count == texts.count)
      for (text, key) in zip(texts, keys) {
        #expect(Semver(parsing: text)?.sortKey ?? "-" == key, "\(text.debugDescription), seed \(Self.seed)")
      }
      await pool.close()
    }
  }

  private static func keys(of texts: [String], _ pool: ConnectionPool) async throws -> [String] {
    var parameters = Parameters()
    parameters.add(texts)
    let statement = DynamicStatement<String>(
      name: "keys",
      sql: """
        SELECT coalesce(version_key(u.t), '-')
        FROM unnest($1::text[]) WITH ORDINALITY AS u (t, n)
        ORDER BY u.n
        """, parameters: parameters, decode: text)
    return try await pool.run(statement)
  }

  private static let text: @Sendable (inout RowReader) throws(PostgresError) -> String = { row throws(PostgresError) in
    try row.string()
  }

  private func withPopulation(
    _ body: (ConnectionPool, [Person], SplitMix) async throws -> Void
  ) async throws {
    var random = SplitMix(seed: Self.seed)
    let people = (1...Self.people).map { Person.random($0, now: Self.now, using: &random) }
    try await withDatabase { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      try await Person.store(people, in: pool)
      try await body(pool, people, random)
      await pool.close()
    }
  }

  /// How many there are.
  @discardableResult
  private static func check(
    _ filter: Filter, _ people: [Person], _ pool: ConnectionPool, _ what: String
  ) async throws -> Int {
    let reference = Reference(now: now)
    let expected = people.filter { reference.matches(filter, $0) }.map(\.number)
    let compiled = CompiledFilter(filter, firstParameter: 2, now: Timestamp(microseconds: now))
    var parameters = Parameters()
    parameters.add(Int64(1))
    compiled.bind(into: &parameters)
    let statement = DynamicStatement<Int64>(
      name: "find",
      sql: """
        SELECT i.installation_no
        FROM installation i
        WHERE i.app_no = $1 AND (\(compiled.sql))
        ORDER BY i.installation_no
        """, parameters: parameters, decode: Person.number)
    let found = try await pool.run(statement)
    let wrong = Set(found).symmetricDifference(expected).compactMap { number in people.first { $0.number == number } }
    #expect(
      found == expected,
      "\(what), seed \(seed): \(String(decoding: FilterWriter.bytes(filter), as: UTF8.self)) \(wrong.prefix(2))")
    return expected.count
  }
}
