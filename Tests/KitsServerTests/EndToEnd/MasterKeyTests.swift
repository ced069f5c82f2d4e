import Crypto
import Foundation
import Postgres
import TestSupport
import Testing

@testable import KitsServer

/// A process with other master keys than those of its database does nothing.
@Suite("Master keys of a database")
struct MasterKeyTests {
  typealias Known = MasterKeyGuard.Known

  @Test(
    "Another key under a known id, and none of the known ids, are refused; an id that is missing isn't",
    arguments: [
      ([], .fits(missing: [])), ([Known(id: "a", isOurs: true)], .fits(missing: [])),
      ([Known(id: "a", isOurs: true), Known(id: "b", isOurs: nil)], .fits(missing: ["b"])),
      ([Known(id: "a", isOurs: false)], .differs("a")),
      ([Known(id: "a", isOurs: true), Known(id: "b", isOurs: false)], .differs("b")),
      ([Known(id: "a", isOurs: nil), Known(id: "b", isOurs: nil)], .foreign(known: ["a", "b"])),
    ] as [([Known], MasterKeyGuard.Verdict)])
  func verdicts(known: [Known], verdict: MasterKeyGuard.Verdict) {
    #expect(MasterKeyGuard.judge(known) == verdict)
  }

  static func environment(_ url: String, _ keys: String) -> [String: String] {
    [
      "KITS_DATABASE_URL": url, "KITS_MASTER_KEYS": keys, "KITS_LISTEN": "127.0.0.1:0",
      "KITS_ADMIN_LISTEN": "127.0.0.1:0",
    ]
  }

  static let right = "k1:\(ConfigTests.key)"
  static let otherBytes = "k1:\(ConfigTests.otherKey)"
  static let otherID = "k9:\(ConfigTests.otherKey)"

  static func createApp(_ url: String, environmentID: String, keys: String) async throws -> KitsProcess.Ending {
    try await KitsProcess.run(
      "app", "create", "--environment", environmentID, "--name", "A", "--platform", "ios", "--bundle-id", "a.b",
      "--apns-key-file", "-", "--apns-key-id", "ABC123DEFG", "--apns-team-id", "DEF123GHIJ",
      environment: environment(url, keys), input: P256PrivateKey().pkcs8PEM)
  }

  static func expectRefused(_ ending: KitsProcess.Ending, _ sentence: String) {
    #expect(ending.status == 78)
    #expect(ending.standardError.contains(sentence), "\(ending.standardError)")
    #expect(ending.standardOutput.isEmpty)
    #expect(!ending.standardError.contains(#""event":"http_listening","listener":"api""#))
  }

  static let differs = "the master key k1 in KITS_MASTER_KEYS is not the one that this database was used with"
  static let foreign = "KITS_MASTER_KEYS has none of the master keys that this database was used with (k1)"

  @Test("serve and the commands that seal refuse other keys, and write nothing", arguments: [false, true])
  func refusal(isOlderThanTheChecks: Bool) async throws {
    try await withDatabase { url in
      let project = try await KitsProcess.run(
        "project", "create", "--name", "Shop", "--json", environment: Self.environment(url, Self.right))
      let id = try project.field("environment_id")
      #expect(try await Self.createApp(url, environmentID: id, keys: Self.right).status == 0)
      if isOlderThanTheChecks {
        let pool = ConnectionPool(PoolConfiguration(url: url))
        try await pool.script("DELETE FROM master_key_check")
        await pool.close()
      }
      for (keys, sentence) in [(Self.otherBytes, Self.differs), (Self.otherID, Self.foreign)] {
        let environment = Self.environment(url, keys)
        Self.expectRefused(try await KitsProcess.run("serve", environment: environment), sentence)
        Self.expectRefused(try await KitsProcess.run("serve", "--only", "delivery", environment: environment), sentence)
        Self.expectRefused(try await Self.createApp(url, environmentID: id, keys: keys), sentence)
      }
      // Nothing was left behind that would refuse the right one, and a new key beside it is fine.
      #expect(try await Self.createApp(url, environmentID: id, keys: "\(Self.right),\(Self.otherID)").status == 0)
      // Now both are known.
      Self.expectRefused(
        try await Self.createApp(url, environmentID: id, keys: "k9:\(ConfigTests.key)"),
        "the master key k9 in KITS_MASTER_KEYS is not the one")
      #expect(try await Self.createApp(url, environmentID: id, keys: Self.otherID).status == 0)
    }
  }

  @Test("A node leaves a check of its keys, tells of a key that it lacks, and isn't ready with keys that don't fit")
  func node() async throws {
    try await withServer { server in
      var environment = server.environment
      environment["KITS_MASTER_KEYS"] = "t1:\(ConfigTests.otherKey)"
      let refused = try await KitsProcess.run("serve", environment: environment)
      #expect(refused.status == 78)
      #expect(refused.standardError.contains("the master key t1 in KITS_MASTER_KEYS is not the one"))

      let pool = ConnectionPool(PoolConfiguration(url: server.databaseURL))
      try await pool.script(#"INSERT INTO master_key_check VALUES ('old', '\x00')"#)
      let other = try await server.anotherNode("--only", "delivery")
      #expect(other.log.contains(#""event":"master_key_missing","key_ids":["old"]"#))
      other.signal(SIGTERM)
      #expect(await other.ending().status == 0)
      #expect(try await server.isReady())

      try await pool.script(#"UPDATE master_key_check SET check_value = '\x00'"#)
      await pool.close()
      let answer = try await HTTPCall("GET", server.adminURL + "/readyz").answer()
      #expect(answer.status == 503)
      #expect(
        String(decoding: answer.body, as: UTF8.self)
          .contains(#"{"check":"master_keys","reason":"not those of the database"}"#))
    }
  }
}
