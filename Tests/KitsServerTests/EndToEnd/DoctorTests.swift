import Crypto
import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@testable import KitsServer
@testable import KitsStore

/// `kits doctor` as a process, on real parts, well and with each kind of fault.
@Suite("kits doctor")
struct DoctorTests {
  struct Examination {
    let status: Int32
    let isHealthy: Bool
    /// By check: the level and what was said.
    let findings: [(check: String, level: String, what: String, todo: String)]
    let passed: [String]

    func find(_ check: String) -> String? { findings.first { $0.check == check }.map { "\($0.level): \($0.what)" } }
  }

  /// The tests' own cluster doesn't survive a power failure, and the doctor says so; that is no fault of the patient.
  static let ofTheTests: Set<String> = ["database.fsync", "database.full_page_writes"]

  static func examine(
    _ environment: [String: String], _ changes: [String: String] = [:]
  ) async throws -> Examination {
    let ending = try await KitsProcess.run("doctor", "--json", environment: environment.merging(changes) { $1 })
    let object = try #require(try JSON.parse(Array(ending.standardOutput.utf8)).object, "\(ending)")
    let findings = try #require(object["findings"]?.array).compactMap(\.object).map {
      (
        check: $0["check"]?.string ?? "", level: $0["level"]?.string ?? "", what: $0["what"]?.string ?? "",
        todo: $0["todo"]?.string ?? ""
      )
    }
    return Examination(
      status: ending.status, isHealthy: object["healthy"]?.bool ?? false,
      findings: findings.filter { !ofTheTests.contains($0.check) },
      passed: try #require(object["passed"]?.array).compactMap { $0.object?["check"]?.string })
  }

  @Test("On a healthy installation it says so and ends with 0")
  func healthy() async throws {
    let cluster = try TestCluster(options: "")
    defer { #expect(throws: Never.self) { try cluster.remove() } }
    let server = try await RunningServer(databaseURL: cluster.url)
    defer { server.signal(SIGKILL) }
    _ = try await server.register(token: String(repeating: "ab", count: 32))
    let message = try await server.send(#"{"target": {"everyone": true}, "title": "Hello"}"#)
    _ = try await server.settled(message)
    let found = try await Self.examine(server.environment)
    #expect(found.status == 0 && found.isHealthy)
    #expect(found.findings.isEmpty, "\(found.findings)")
    let all = [
      "host.open_files", "host.clock", "database.reachable", "database.durability", "database.connections",
      "database.transactions", "database.indexes", "schema.version", "schema.migrations", "work.partitions",
      "work.retention", "work.leases", "work.backlog", "work.ledger", "keys.master", "keys.app", "apns.production",
      "apns.sandbox",
    ]
    #expect(Set(found.passed).isSuperset(of: all), "\(Set(all).subtracting(found.passed))")
    let text = try await KitsProcess.run("doctor", environment: server.environment)
    #expect(text.status == 0 && text.standardError.isEmpty)
    #expect(text.standardOutput.contains("ok       apns.sandbox: app Test app (com.example.test): APNs takes the key"))
    // Both environments were asked, twice; nothing was taken for a push.
    #expect(try await server.simulator.count(reason: "BadDeviceToken") == 4)
    #expect(try await server.simulator.count("accepted") == 1)
  }

  @Test("Without a database it says so, and what to do")
  func databaseDown() async throws {
    let environment = OperatorTests.environment("postgresql://kits@127.0.0.1:1/kits")
    let found = try await Self.examine(environment)
    #expect(found.status == 1 && !found.isHealthy)
    #expect(found.find("database.reachable")?.hasPrefix("problem: the database can't be reached: ") == true)
    #expect(found.findings.allSatisfy { !$0.todo.isEmpty })
    let text = try await KitsProcess.run("doctor", environment: environment)
    #expect(text.status == 1 && text.standardError.contains("kits: 1 finding"))
    #expect(text.standardOutput.contains("\n         do:  Start PostgreSQL, or correct KITS_DATABASE_URL"))
    #expect(try await KitsProcess.run("doctor").status == 78)
  }

  @Test("An old, a newer and a changed schema are told apart")
  func schemas() async throws {
    let first = try #require(try Migration.load(from: TestCluster.repository + "/db/migrations").first)
    try await withDatabase(migrations: [first]) { url in
      let old = try await Self.examine(OperatorTests.environment(url))
      #expect(old.status == 1)
      #expect(old.find("schema.version")?.hasPrefix("problem: the database has schema 1, this program needs") == true)
      #expect(!old.passed.contains("work.leases"))
    }
    try await withDatabase { url in
      let environment = OperatorTests.environment(url)
      let pool = ConnectionPool(PoolConfiguration(url: url))
      try await pool.script("UPDATE schema_migrations SET sha256 = 'other' WHERE version = 1")
      let changed = try await Self.examine(environment)
      #expect(
        changed.find("schema.migrations") == "problem: migration 1 was applied to this database with another text")
      try await pool.script("INSERT INTO schema_migrations VALUES (9999, 'later', '', now(), 0)")
      await pool.close()
      #expect(try await Self.examine(environment).find("schema.version")?.hasPrefix("warning: ") == true)
    }
  }

  @Test("A key that APNs refuses, a missing master key and a wrong one are found and explained")
  func keys() async throws {
    try await withServer { server in
      let stranger = try await Self.simulator(publicKey: P256PrivateKey().publicKey.spkiPEM, topic: Tenant.bundleID)
      let refused = try await Self.examine(server.environment, Self.apns(stranger))
      #expect(refused.status == 1)
      #expect(refused.find("apns.production")?.hasSuffix("APNs says 403 InvalidProviderToken") == true)
      #expect(refused.find("apns.sandbox")?.hasPrefix("problem: ") == true)

      let other = try await Self.simulator(publicKey: server.apnsKey.publicKey.spkiPEM, topic: "com.example.other")
      let topic = try await Self.examine(server.environment, Self.apns(other))
      #expect(topic.find("apns.production")?.hasSuffix("APNs says 400 TopicDisallowed") == true)

      let gone = try await Self.examine(
        server.environment, ["KITS_APNS_PRODUCTION_URL": "https://localhost:1"])
      #expect(gone.find("apns.production")?.contains("no answer of APNs") == true)
      #expect(gone.passed.contains("apns.sandbox"))

      let missing = try await Self.examine(server.environment, ["KITS_MASTER_KEYS": "t2:\(OperatorTests.key)"])
      #expect(missing.find("keys.master")?.contains("the master key t1 is not in KITS_MASTER_KEYS") == true)
      #expect(missing.find("keys.app")?.contains("can't be decrypted under the master key t1") == true)
      let wrong = try await Self.examine(server.environment, ["KITS_MASTER_KEYS": "t1:\(OperatorTests.key)"])
      #expect(wrong.find("keys.master")?.contains("t1 in KITS_MASTER_KEYS is not the one") == true)
      #expect(wrong.find("keys.app")?.contains("can't be decrypted") == true)

      try await server.query("UPDATE apns_key SET fingerprint = sha256('')")
      #expect(try await Self.examine(server.environment).find("keys.app")?.contains("fingerprint") == true)
      try await server.query("DELETE FROM apns_key")
      #expect(try await Self.examine(server.environment).find("keys.app")?.contains("has no APNs key") == true)
    }
  }

  @Test("A clock that APNs' answers contradict is found")
  func clockOfAPNs() async throws {
    try await withServer { server in
      #expect(try await Self.examine(server.environment).passed.contains("apns.clock"))
      try await server.simulator.post("/script", json: #"{"connection": {"clock_offset_seconds": -4000}}"#)
      let found = try await Self.examine(server.environment)
      let finding = try #require(found.find("apns.clock"))
      // Whole seconds on one side, and the question took a while.
      let differ = try #require(finding.firstMatch(of: /clocks of the database and of APNs differ by (\d+) s/))
      #expect((3_990...4_010).contains(try #require(Int(differ.output.1))))
    }
  }

  @Test("A missing partition, a stuck lease, a wrong ledger and a broken index are found")
  func work() async throws {
    try await withDatabase(isConserved: false) { url in
      let environment = OperatorTests.environment(url)
      let pool = ConnectionPool(PoolConfiguration(url: url))
      func find(_ check: String, after sql: String) async throws -> String? {
        try await pool.script(sql)
        return try await Self.examine(environment).find(check)
      }
      try await pool.script(HealthTests.message(planned: 2, outcomes: "0000", settled: false))
      try await pool.script(
        "UPDATE message SET state = 2, expires_at = now() + interval '1 day', started_at = now() - interval '1 min'")
      #expect(try await find("work.leases", after: "SELECT 1") == "problem: 1 chunks are due and nobody works on any")
      let pause = "INSERT INTO app_circuit SELECT app_no, 1, 2, 1, 2, 'InvalidProviderToken' FROM app"
      let paused = try await find("work.pauses", after: pause)
      #expect(paused?.hasSuffix("is paused in production: credential (InvalidProviderToken)") == true)
      #expect(try await find("work.leases", after: "SELECT 1") == nil, "a pause is the reason")
      try await pool.script("DELETE FROM app_circuit")
      let stuck = try await find(
        "work.leases", after: "UPDATE message_chunk SET lease_until = now() - interval '2 min'")
      #expect(stuck?.hasPrefix("problem: 1 chunks have a lease that ended 12") == true)
      let endless = try await find(
        "work.leases", after: "UPDATE message_chunk SET lease_until = now() + interval '1 d'")
      #expect(endless == "problem: 1 chunks and 0 retries have a lease that ends far in the future")
      let late = try await find("work.backlog", after: "UPDATE message SET started_at = now() - interval '25 h'")
      #expect(late?.contains("the oldest message is open for 25 h") == true)
      let ledger = try await find("work.ledger", after: "UPDATE message SET settled = true, planned = 3")
      #expect(ledger == "problem: the ledgers of 1 messages don't add up")
      let index = try await find(
        "database.indexes",
        after: "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'server_key_environment'::regclass")
      #expect(index == "warning: the index server_key_environment is invalid")
      let drop = """
        DO $$ BEGIN
          EXECUTE format('DROP TABLE message_chunk_%s', to_char((now() AT TIME ZONE 'UTC')::date + 1, 'YYYYMMDD'));
        END $$
        """
      #expect(try await find("work.partitions", after: drop) == "problem: the partition of tomorrow is missing")
      await pool.close()
    }
  }

  @Test("A transaction that stays open is found with its process, and so is a prepared one")
  func transactions() async throws {
    try await HealthTests.health("SELECT 1") { health in
      let none = try await health.longTransactions(olderThan: 300)
      #expect(none.isEmpty)
      let pool = health.pool
      let found = try await pool.transaction(.repeatableRead) { transaction in
        try await transaction.script("SELECT count(*) FROM app")
        return try await health.longTransactions(olderThan: 0)
      }
      let own = try #require(found.first { $0.name == "kits" && $0.kind == .transaction })
      #expect(own.holdsSnapshot && own.state == "idle in transaction")
      let finding = DatabaseChecks.judge(own, "c")
      #expect(finding.level == .warning && finding.todo.contains("pg_terminate_backend(\(own.processID))"))
    }
  }

  static func simulator(publicKey: String, topic: String) async throws -> SimulatorProcess {
    let key = SimulatorProcess.Key(
      keyID: Tenant.keyID, teamID: Tenant.teamID, publicKeyPEM: publicKey, topics: [topic])
    return try await SimulatorProcess(keys: [key])
  }

  static func apns(_ simulator: SimulatorProcess) -> [String: String] {
    let origin = "https://localhost:\(simulator.port)"
    return [
      "KITS_APNS_PRODUCTION_URL": origin, "KITS_APNS_SANDBOX_URL": origin,
      "KITS_APNS_CA": simulator.certificateFile,
    ]
  }
}
