import Foundation
import KitsStore
import Postgres
import TestSupport
import Testing

@testable import KitsServer

/// The commands that work straight on the database.
@Suite("Operator commands")
struct OperatorTests {
  static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

  static func environment(_ url: String) -> [String: String] {
    ["KITS_DATABASE_URL": url, "KITS_MASTER_KEYS": "k1:\(key)"]
  }

  @Test("The migrations in the program are those of db/migrations; `db/embed` writes them")
  func embedded() throws {
    let files = try Postgres.Migration.load(from: TestCluster.repository + "/db/migrations")
    #expect(files.map(\.version) == Schema.migrations.map(\.version))
    for (file, embedded) in zip(files, Schema.migrations) { #expect(file == embedded) }
  }

  @Test("migrate applies what is missing, once; without it nothing else works")
  func migrate() async throws {
    try await withDatabase(migrations: []) { url in
      let environment = Self.environment(url)
      let early = try await KitsProcess.run("project", "create", "--name", "Shop", environment: environment)
      #expect(early.status == 1)
      #expect(early.standardError.contains("the database has schema 0, this program needs \(Schema.required): run"))
      let serve = environment.merging(["KITS_LISTEN": "127.0.0.1:0", "KITS_ADMIN_LISTEN": "127.0.0.1:0"]) { $1 }
      let refused = try await KitsProcess.run("serve", environment: serve)
      #expect(refused.status == 1)
      #expect(refused.standardError.contains("kits: the database has schema 0, this program needs"))

      let first = try await KitsProcess.run("migrate", "--json", environment: environment)
      #expect(first.status == 0)
      #expect(first.standardOutput.hasPrefix(#"{"applied":["0001_first_push"#))
      let second = try await KitsProcess.run("migrate", "--json", environment: environment)
      #expect(second.standardOutput == "{\"applied\":[],\"schema_version\":\(Schema.required)}\n")

      let pool = ConnectionPool(PoolConfiguration(url: url))
      try await pool.script("INSERT INTO schema_migrations VALUES (9999, 'later', '', now(), 0)")
      await pool.close()
      let newer = try await KitsProcess.run("serve", environment: serve)
      #expect(newer.status == 1)
      #expect(newer.standardError.contains("the database has schema 9999, made by a newer kits"))
      let older = try await KitsProcess.run("migrate", environment: environment)
      #expect(older.status == 1 && older.standardError.contains("it was migrated by a newer kits"))
    }
  }

  @Test("A database that can't be reached is 69, wrong settings are 78")
  func unavailable() async throws {
    let gone = Self.environment("postgresql://kits@127.0.0.1:1/kits")
    for command in [["migrate"], ["app", "list"], ["key", "revoke", "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"]] {
      let ending = try await KitsProcess(command, environment: gone).ending()
      #expect(ending.status == 69, "\(command)")
      #expect(ending.standardError.hasPrefix("kits: the database can't be reached: "))
    }
    #expect(try await KitsProcess.run("migrate").status == 78)
  }

  @Test("Projects, apps and keys are created, listed and revoked; a server key is shown once")
  func walk() async throws {
    try await withDatabase { url in
      let environment = Self.environment(url)
      func run(_ arguments: String...) async throws -> KitsProcess.Ending {
        try await KitsProcess(arguments, environment: environment).ending()
      }
      let id = try await run("project", "create", "--name", "Shop", "--field", "environment_id").standardOutput
        .trimmingCharacters(in: .newlines)
      #expect(try await run("app", "list").standardOutput == "no apps\n")
      let android = try await run(
        "app", "create", "--environment", id, "--name", "A", "--platform", "android", "--bundle-id", "a.b", "--json")
      #expect(android.status == 0)
      let apps = try await run("app", "list", "--json").standardOutput
      #expect(apps.contains(try android.field("public_key")))

      let key = try await run(
        "key", "create", "--environment", id, "--name", "backend", "--scope", "messages:read", "--scope",
        "messages:send", "--json")
      let secret = try key.field("server_key")
      #expect(key.standardOutput.contains(#""scopes":["messages:send","messages:read"]"#))
      let list = try await run("key", "list", "--environment", id)
      #expect(list.standardOutput.contains(try key.field("key_id")))
      #expect(!list.standardOutput.contains(secret) && list.standardOutput.contains(secret.suffix(4)))
      let revoked = try await run("key", "revoke", try key.field("key_id"))
      #expect(revoked.status == 0)
      #expect(
        !(try await run("key", "list", "--environment", id, "--json")).standardOutput.contains(#""revoked_at":null"#))

      let stranger = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
      #expect(try await run("key", "revoke", stranger).status == 1)
      #expect(
        try await run("key", "create", "--environment", stranger, "--name", "a", "--scope", "users:read").status == 1)
      let unknown = try await run("key", "list", "--environment", stranger)
      #expect(unknown.status == 1 && unknown.standardOutput.isEmpty)
      #expect(unknown.standardError == "kits: there is no environment \(stranger)\n")
      let empty = try await run("project", "create", "--name", "B", "--field", "environment_id").standardOutput
        .trimmingCharacters(in: .newlines)
      let none = try await run("key", "list", "--environment", empty)
      #expect(none.status == 0 && none.standardOutput == "no keys\n")
      #expect(try await run("key", "revoke", "nonsense").status == 64)
    }
  }

  @Test(
    "What is wrong on the command line is 64 and says what would be right",
    arguments: [
      (["project", "create", "--name", ""], "--name must have 1 to 128 bytes"),
      (["project", "create", "--name", String(repeating: "é", count: 65)], "--name must have 1 to 128 bytes"),
      (["project", "create", "--name", "a\u{1B}b"], "no control characters"),
      (["key", "list", "--environment", "1"], "--environment must be an id like"),
      (
        ["key", "create", "--environment", "1", "--name", "a", "--scope", "all"], "--scope must be one of messages:send"
      ),
      (app("a b", "ABC123DEFG", "DEF123GHIJ"), "--bundle-id must be 1 to 155 letters"),
      (app("a.b", "abc123defg", "DEF123GHIJ"), "--apns-key-id must be 10 characters of A-Z and 0-9"),
      (app("a.b", "ABC123DEFG", "DEF123GHI"), "--apns-team-id must be 10 characters of A-Z and 0-9"),
      (Array(app("a.b", "ABC123DEFG", "DEF123GHIJ").dropLast(2)), "an iOS app needs --apns-team-id"),
      (app("a.b", "ABC123DEFG", "DEF123GHIJ", platform: "android"), "is for --platform ios alone"),
      (
        ["message", "send", "--url", "ftp://x", "--everyone", "--title", "a", "--body", "b"],
        "--url must start with https://"
      ),
      (
        [
          "message", "send", "--url", "http://localhost:1", "--everyone", "--title", "a", "--body", "b", "--data", "[]",
        ],
        "--data must be a JSON object"
      ),
    ])
  func usage(arguments: [String], sentence: String) async throws {
    let environment = Self.environment("postgresql://kits@127.0.0.1:1/kits")
    let ending = try await KitsProcess(arguments, environment: environment).ending()
    #expect(ending.status == 64)
    #expect(ending.standardError.contains(sentence), "\(ending.standardError)")
  }

  static func app(_ bundle: String, _ key: String, _ team: String, platform: String = "ios") -> [String] {
    [
      "app", "create", "--environment", "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70", "--name", "A", "--platform", platform,
      "--bundle-id", bundle, "--apns-key-file", "-", "--apns-key-id", key, "--apns-team-id", team,
    ]
  }

  @Test("A key file that isn't a P-256 private key is refused with what it is, and nothing is written")
  func badKeys() async throws {
    try await withDatabase { url in
      let environment = Self.environment(url)
      let id = try await KitsProcess.run("project", "create", "--name", "Shop", "--json", environment: environment)
        .field("environment_id")
      for (kind, text, sentence) in try KeyFiles.bad() {
        var arguments = Self.app("a.b", "ABC123DEFG", "DEF123GHIJ")
        arguments[3] = id
        let ending = try await KitsProcess(arguments, environment: environment, input: text).ending()
        #expect(ending.status == 1, "\(kind)")
        #expect(ending.standardError.contains(sentence), "\(kind): \(ending.standardError)")
        #expect(ending.standardOutput.isEmpty)
      }
      #expect(
        try await KitsProcess.run("app", "list", environment: environment).standardOutput == "no apps\n")
    }
  }

  @Test("A signing secret is created, shown, rotated by its number and revoked; the mode needs one (T3)")
  func signing() async throws {
    try await withServer { server in
      let app = server.tenant.appID
      func run(_ words: String...) async throws -> KitsProcess.Ending {
        try await KitsProcess(["app", "signing"] + words, environment: server.environment).ending()
      }
      let early = try await run("mode", app, "--mode", "required")
      #expect(early.status == 1)
      #expect(early.standardError.contains("has no signing secret yet: run `kits app signing create"))
      let first = try await run("create", app, "--field", "secret")
      #expect(first.standardOutput.wholeMatch(of: /[0-9a-f]{64}\n/) != nil)
      #expect(try await run("create", app).status == 1)
      let second = try await run("rotate", app, "--secret-no", "1", "--field", "secret")
      #expect(second.status == 0)
      let late = try await run("rotate", app, "--secret-no", "1")
      #expect(late.status == 1 && late.standardError.contains("the current one is 2. Nothing was changed"))
      let shown = try await run("reveal", app, "--json")
      #expect(try shown.field("secret") + "\n" == second.standardOutput)
      #expect(try shown.field("previous_secret") + "\n" == first.standardOutput)
      #expect(try await run("mode", app, "--mode", "optional", "--bucket-seconds", "60").status == 0)
      #expect(try await run("mode", app, "--bucket-seconds", "59").status == 64)
      #expect(try await run("mode", app).status == 64)
      #expect(try await run("revoke-previous", app).status == 0)
      #expect(try await run("revoke-previous", app).status == 1)
      let state = try await run("show", app, "--json")
      #expect(
        state.standardOutput.contains(#""mode":"optional","bucket_seconds":60,"secret_no":2,"previous_secret_no":null"#)
      )
      let audit = try await KitsProcess(["audit", "--json"], environment: server.environment).ending().standardOutput
      for action in [
        "secret_created", "secret_revealed", "secret_rotated", "mode_changed", "previous_secret_revoked",
      ] { #expect(audit.contains("signing.\(action)"), "\(action)") }
      for secret in [first, second].map({ $0.standardOutput.dropLast() }) {
        #expect(!audit.contains(secret) && !server.log.contains(secret) && !state.standardOutput.contains(secret))
      }
    }
  }
}
