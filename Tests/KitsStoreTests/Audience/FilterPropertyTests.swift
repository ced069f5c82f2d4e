import Foundation
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("What a filter finds")
struct FilterPropertyTests {
  private static let now: Int64 = 1_800_000_000_000_000
  private static let people: Int64 = 500

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
        let positive = (0..<12).map { _ in Filter.condition(filters.condition(field, op)) }
        try await Self.check(positive + positive.map(Filter.not), people, pool, "\(field.rawValue) \(op.rawValue)")
      }
    }
  }

  @Test("trees of conditions find exactly whom they mean")
  func trees() async throws {
    try await withPopulation { pool, people, random in
      var filters = RandomFilter(random: random, now: Self.now)
      var found = Set<Int>()
      for batch in 0..<20 {
        let trees = (0..<25).map { _ in filters.tree(depth: 6) }
        found.formUnion(try await Self.check(trees, people, pool, "trees \(batch)"))
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
      try await Self.check([filter], people, pool, "largest")
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

  /// How many each of them finds. All go in one statement, so that each has parameters of its own.
  @discardableResult
  private static func check(
    _ filters: [Filter], _ people: [Person], _ pool: ConnectionPool, _ what: String
  ) async throws -> [Int] {
    let reference = Reference(now: now)
    let found = try await find(filters, pool)
    try #require(found.map(\.number) == people.map(\.number))
    return filters.enumerated().map { index, filter in
      let expected = people.map { reference.matches(filter, $0) }
      let wrong = people.indices.filter { found[$0].matches[index] != expected[$0] }.map { people[$0] }
      #expect(
        wrong.isEmpty,
        "\(what), seed \(seed): \(String(decoding: FilterWriter.bytes(filter), as: UTF8.self)) \(wrong.prefix(2))")
      return expected.count { $0 }
    }
  }

  private struct Found: Sendable {
    let number: Int64
    let matches: [Bool]
  }

  private static func find(_ filters: [Filter], _ pool: ConnectionPool) async throws -> [Found] {
    var parameters = Parameters()
    parameters.add(Int64(1))
    var next = 2
    var expressions: [String] = []
    for filter in filters {
      let compiled = CompiledFilter(filter, firstParameter: next, now: Timestamp(microseconds: now))
      compiled.bind(into: &parameters)
      next += compiled.parameterCount
      expressions.append("(\(compiled.sql)) IS TRUE")
    }
    let statement = DynamicStatement<Found>(
      name: "find",
      sql: """
        SELECT i.installation_no, ARRAY[\(expressions.joined(separator: ", "))]
        FROM installation i
        WHERE i.app_no = $1
        ORDER BY i.installation_no
        """, parameters: parameters, decode: found)
    return try await pool.run(statement)
  }

  private static let found: @Sendable (inout RowReader) throws(PostgresError) -> Found = { row throws(PostgresError) in
    Found(number: try row.int64(), matches: try row.boolArray())
  }
}
