import Foundation
import Postgres
import TestSupport
import Testing

@Suite("The migrator")
struct MigratorTests {
  static let one = Migration(version: 1, name: "one", sql: "CREATE TABLE a (id bigint); CREATE TABLE b (id bigint);")
  static let two = Migration(version: 2, name: "two", sql: "ALTER TABLE a ADD COLUMN text text;")
  static let index = Migration(
    version: 3, name: "index",
    sql: "-- Why: look-ups by id.\n-- transaction: off\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a_id ON a (id);\n")

  static func withEmpty(_ body: (String, ConnectionPool) async throws -> Void) async throws {
    try await withDatabase(migrations: []) { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      let result: Result<Void, any Error>
      do { result = .success(try await body(url, pool)) } catch { result = .failure(error) }
      await pool.close()
      try result.get()
    }
  }

  @Test("applies what is missing, once, and records it")
  func applies() async throws {
    try await Self.withEmpty { url, pool in
      #expect(try await Migrator.currentVersion(pool) == 0)
      #expect(try await Migrator(url: url, migrations: [Self.two, Self.one]).migrate() == [1, 2])
      let all = [Self.one, Self.two, Self.index]
      #expect(try await Migrator(url: url, migrations: all).migrate() == [3])
      #expect(try await Migrator(url: url, migrations: all).migrate() == [])
      #expect(try await Migrator.currentVersion(pool) == Migrator.requiredVersion(in: all))
      try await eventually(pool, "SELECT count(*) = 3 AND bool_and(length(sha256) = 64) FROM schema_migrations")
      try await eventually(pool, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'a_id'::regclass")
    }
  }

  @Test("two at once: one applies, the other finds everything done")
  func race() async throws {
    try await Self.withEmpty { url, _ in
      let migrations = [Self.one, Self.two, Self.index]
      let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
        for _ in 0..<4 {
          group.addTask {
            var migrator = try Migrator(url: url, migrations: migrations)
            migrator.pollInterval = .milliseconds(10)
            return try await migrator.migrate()
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(applied.filter { $0 == [1, 2, 3] }.count == 1)
      #expect(applied.filter { $0 == [] }.count == 3)
    }
  }

  @Test("a changed, an unknown and a missing older migration are errors, and nothing is applied")
  func mismatches() async throws {
    try await Self.withEmpty { url, pool in
      _ = try await Migrator(url: url, migrations: [Self.one, Self.index]).migrate()
      let changed = Migration(version: 1, name: "one", sql: Self.one.sql + " ")
      await #expect(throws: MigrationError.changed(version: 1)) {
        try await Migrator(url: url, migrations: [changed, Self.index]).migrate()
      }
      await #expect(throws: MigrationError.unknown(version: 3)) {
        try await Migrator(url: url, migrations: [Self.one]).migrate()
      }
      await #expect(throws: MigrationError.outOfOrder(version: 2, applied: 3)) {
        try await Migrator(url: url, migrations: [Self.one, Self.two, Self.index]).migrate()
      }
      #expect(throws: MigrationError.duplicate(version: 1)) {
        try Migrator(url: url, migrations: [Self.one, changed])
      }
      try await eventually(pool, "SELECT count(*) = 2 FROM schema_migrations")
    }
  }

  @Test("a failing migration leaves nothing of itself, and one that ends its own transaction is refused")
  func failing() async throws {
    try await Self.withEmpty { url, pool in
      let bad = Migration(version: 2, name: "bad", sql: "CREATE TABLE c (id bigint); SELECT 1/0;")
      let error = await #expect(throws: MigrationError.self) {
        try await Migrator(url: url, migrations: [Self.one, bad]).migrate()
      }
      guard case .failed(version: 2, let cause) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(cause.sqlState == "22012")
      #expect(try await Migrator.currentVersion(pool) == 1)
      try await eventually(pool, "SELECT to_regclass('c') IS NULL")
      for sql in ["COMMIT;", "SELECT 1; COMMIT; BEGIN; SELECT 1;"] {
        await #expect(throws: MigrationError.endedTransaction(version: 2)) {
          try await Migrator(url: url, migrations: [Self.one, Migration(version: 2, name: "x", sql: sql)]).migrate()
        }
      }
      let several = Migration(version: 2, name: "x", sql: "-- transaction: off\nSELECT 1; SELECT 2;")
      await #expect(throws: MigrationError.self) {
        try await Migrator(url: url, migrations: [Self.one, several]).migrate()
      }
      #expect(try await Migrator.currentVersion(pool) == 1)
    }
  }

  @Test("an index that an earlier try left invalid is dropped and built again")
  func invalidIndex() async throws {
    try await Self.withEmpty { url, pool in
      _ = try await Migrator(url: url, migrations: [Self.one]).migrate()
      try await pool.script("INSERT INTO a VALUES (1), (1)")
      let unique = Migration(
        version: 2, name: "unique",
        sql: "-- transaction: off\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a_one ON a (id)")
      let migrator = try Migrator(url: url, migrations: [Self.one, unique])
      await #expect(throws: MigrationError.self) { try await migrator.migrate() }
      try await eventually(pool, "SELECT NOT indisvalid FROM pg_index WHERE indexrelid = 'a_one'::regclass")
      try await pool.script("DELETE FROM a")
      let journal = Journal<MigrationEvent>()
      let again = try Migrator(url: url, migrations: [Self.one, unique], observe: journal.add)
      #expect(try await again.migrate() == [2])
      #expect(journal.events.contains(.droppedInvalidIndex("a_one")))
      try await eventually(pool, "SELECT indisvalid FROM pg_index WHERE indexrelid = 'a_one'::regclass")
    }
  }

  @Test("a lock that others hold is tried again and again, briefly")
  func lockTimeout() async throws {
    try await Self.withEmpty { url, pool in
      _ = try await Migrator(url: url, migrations: [Self.one]).migrate()
      let journal = Journal<MigrationEvent>()
      var migrator = try Migrator(url: url, migrations: [Self.one, Self.two], observe: journal.add)
      migrator.lockTimeoutMilliseconds = 20
      migrator.pollInterval = .milliseconds(5)
      migrator.lockAttempts = 1000
      let run = try await pool.transaction { [migrator] transaction in
        try await transaction.script("LOCK TABLE a IN ACCESS SHARE MODE")
        let run = Task { try await migrator.migrate() }
        while !journal.events.contains(.retrying(version: 2)) { await lookAgain() }
        return run
      }
      #expect(try await run.value == [2])
    }
  }

  @Test("a directory: only NNNN_what.sql, in order")
  func directory() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "migrations-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    func write(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: directory.appending(path: name))
    }
    try write("0002_b_c.sql", "SELECT 2")
    try write("0001_a.sql", "SELECT 1")
    try write("README.md", "")
    #expect(
      try Migration.load(from: directory.path) == [
        Migration(version: 1, name: "a", sql: "SELECT 1"), Migration(version: 2, name: "b_c", sql: "SELECT 2"),
      ])
    try write("3_d.sql", "")
    #expect(throws: MigrationError.badName("3_d.sql")) { try Migration.load(from: directory.path) }
    #expect(throws: MigrationError.unreadable("/nowhere")) { try Migration.load(from: "/nowhere") }
  }
}
