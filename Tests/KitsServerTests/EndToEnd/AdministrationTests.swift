import Crypto
import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@testable import KitsServer

/// Environments, identity keys and the audit log at the command line.
@Suite("Administration at the command line")
struct AdministrationTests {
  /// A database with a project, and `kits` on it.
  struct Desk {
    let environment: [String: String]
    let environmentID: String
    let projectID: String

    init(_ url: String) async throws {
      environment = OperatorTests.environment(url)
      let ending = try await KitsProcess.run("project", "create", "--name", "Shop", "--json", environment: environment)
      environmentID = try ending.field("environment_id")
      projectID = try ending.field("project_id")
    }

    func run(_ arguments: [String], input: String? = nil) async throws -> KitsProcess.Ending {
      try await KitsProcess(arguments, environment: environment, input: input).ending()
    }

    func run(_ arguments: String..., input: String? = nil) async throws -> KitsProcess.Ending {
      try await run(arguments, input: input)
    }

    func object(_ arguments: String...) async throws -> JSONObject {
      let ending = try await run(arguments + ["--json"])
      guard ending.status == 0, let object = try JSON.parse(Array(ending.standardOutput.utf8)).object else {
        throw TestFailure("kits \(arguments): \(ending)")
      }
      return object
    }

    func audit(_ arguments: String...) async throws -> [JSONObject] {
      let ending = try await run(["audit", "--json"] + arguments)
      let value = try JSON.parse(Array(ending.standardOutput.utf8))
      return value.object?["entries"]?.array?.compactMap(\.object) ?? []
    }
  }

  @Test("Every command that changes something leaves exactly one entry (SEC-G1)")
  func everyCommand() async throws {
    try await withDatabase { url in
      let desk = try await Desk(url)
      let (apnsKey, newKey) = (P256PrivateKey().pkcs8PEM, P256PrivateKey().pkcs8PEM)
      let id = desk.environmentID
      var expected = ["project.created"]
      func change(_ action: String, _ arguments: [String], input: String? = nil) async throws -> KitsProcess.Ending {
        let ending = try await desk.run(arguments + ["--json"], input: input)
        #expect(ending.status == 0, "\(arguments): \(ending.standardError)")
        expected.insert(action, at: 0)
        let entries = try await desk.audit()
        #expect(entries.compactMap { $0["action"]?.string } == expected, "\(arguments)")
        let newest = entries.first
        #expect(newest?["actor_kind"]?.string == "command_line" && newest?["actor_role"]?.string == "owner")
        #expect(entries.first?["refusal"] == .null && entries.first?["request_id"] == .null)
        return ending
      }
      _ = try await change(
        "environment.created", ["environment", "create", "--project", desk.projectID, "--name", "b"])
      let apns = ["--apns-key-file", "-", "--apns-key-id", "ABC123DEFG", "--apns-team-id", "DEF123GHIJ"]
      let app = try await change(
        "app.created",
        ["app", "create", "--environment", id, "--name", "A", "--platform", "ios", "--bundle-id", "a.b"] + apns,
        input: apnsKey
      ).field("app_id")
      _ = try await change("app.provider_key_set", ["app", "set-key", app] + apns, input: newKey)
      let set = try await desk.audit().first?["changes"]?.object
      #expect(set?["key_id"] == .array([.string("ABC123DEFG"), .string("ABC123DEFG")]))
      #expect(set?["fingerprint"]?.array?.count(where: { $0.string?.utf8.count == 64 }) == 2)
      _ = try await change("app.paused", ["app", "pause", app, "--reason", "test"])
      _ = try await change("app.resumed", ["app", "resume", app])
      let key = try await change(
        "server_key.created",
        ["key", "create", "--environment", id, "--name", "k", "--scope", "messages:send", "--role", "member"])
      _ = try await change("server_key.revoked", ["key", "revoke", try key.field("key_id")])
      let pem = P256PrivateKey().publicKey.spkiPEM
      _ = try await change(
        "identity_key.added",
        ["identity-key", "add", "--environment", id, "--key-id", "k1", "--public-key-file", "-"], input: pem)
      _ = try await change("environment.changed", ["environment", "set", id, "--auth-mode", "VERIFIED"])
      _ = try await change("identity_key.revoked", ["identity-key", "revoke", "k1", "--environment", id])
      // What changes nothing leaves nothing.
      for arguments in [
        ["key", "revoke", try key.field("key_id")], ["app", "resume", app],
        ["environment", "set", id, "--auth-mode", "VERIFIED"], ["identity-key", "revoke", "k1", "--environment", id],
      ] {
        #expect(try await desk.run(arguments).status == 0)
      }
      #expect(try await desk.audit().count == expected.count)
      // Two environments, and no secret anywhere.
      #expect(try await desk.audit("--environment", id).count == expected.count - 1)
      let text = try await desk.run("audit", "--json").standardOutput
      let secret = try key.field("server_key")
      let bodies = [apnsKey, newKey].map { String($0.split(separator: "\n")[1].prefix(40)) }
      for canary in bodies + [secret, String(secret.dropFirst(8).prefix(30)), "PRIVATE KEY", "kits_sk_"] {
        #expect(!text.contains(canary))
      }
      #expect(text.contains(#""role":[null,"member"]"#) && text.contains(#""scopes":[null,["messages:send"]]"#))
    }
  }

  @Test("The administrative commands that the test above runs are all that change something")
  func commands() {
    let reading: Set<String> = ["list", "show"]
    let changing = CommandTree.root.subcommands.flatMap { parent in
      parent.subcommands.filter { !reading.contains($0.name) }.map { "\(parent.name) \($0.name)" }
    }
    let known: Set<String> = [
      "project create", "environment create", "environment set", "app create", "app pause", "app resume", "app set-key",
      "key create", "key revoke", "identity-key add", "identity-key revoke",
    ]
    // `message` goes through the API, `identity` signs and verifies without the database, the others have their tests.
    let others = changing.filter { name in
      !["message ", "identity ", "app signing", "user ", "test-device ", "import ", "dev "].contains(
        where: name.hasPrefix)
    }
    #expect(Set(others) == known)
  }

  @Test("An environment is listed, shown and set; a second one starts as BASIC (K17)")
  func environments() async throws {
    try await withDatabase { url in
      let desk = try await Desk(url)
      let id = desk.environmentID
      let second = try await desk.object("environment", "create", "--project", desk.projectID, "--name", "staging")
      #expect(second["auth_mode"]?.string == "BASIC")
      let list = try await desk.object("environment", "list")["environments"]?.array?.compactMap(\.object) ?? []
      #expect(list.compactMap { $0["name"]?.string } == ["production", "staging"])
      #expect(list.allSatisfy { $0["auth_mode"]?.string == "BASIC" && $0["policy_revision"]?.integer == 1 })

      let refused = try await desk.run("environment", "set", id, "--auth-mode", "VERIFIED")
      #expect(refused.status == 1 && refused.standardError.contains("kits identity-key add"))
      let shadow = try await desk.object("environment", "set", id, "--auth-mode", "VERIFIED", "--shadow", "on")
      #expect(shadow["shadow"] == .bool(true) && shadow["policy_revision"]?.integer == 2)
      let forced = try await desk.object("environment", "set", id, "--shadow", "off", "--force")
      #expect(forced["auth_mode"]?.string == "VERIFIED" && forced["shadow"] == .bool(false))
      let back = try await desk.object(
        "environment", "set", id, "--auth-mode", "BASIC", "--identifier-policy", "cn", "--raw-identifiers", "on")
      #expect(back["policy_revision"]?.integer == 4 && back["identifier_policy"]?.string == "cn")
      #expect(try await desk.object("environment", "show", id) == back)

      let stranger = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
      for arguments in [
        ["environment", "show", stranger], ["environment", "set", stranger, "--shadow", "off"],
        ["environment", "create", "--project", stranger, "--name", "x"],
        ["identity-key", "list", "--environment", stranger],
        ["identity-key", "revoke", "k", "--environment", id], ["environment", "set", id, "--shadow", "on"],
      ] {
        #expect(try await desk.run(arguments).status == 1, "\(arguments)")
      }
    }
  }

  @Test(
    "What is wrong on the command line is 64",
    arguments: [
      (["environment", "set", "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"], "at least one of --auth-mode"),
      (["environment", "set", "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70", "--force"], "at least one of --auth-mode"),
      (["environment", "set", "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70", "--auth-mode", "basic"], "BASIC, VERIFIED"),
      (["environment", "set", "x", "--shadow", "on"], "ENVIRONMENT_ID must be an id"),
      (["identity-key", "revoke", "a/b", "--environment", "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"], "KEY_ID must be"),
      (["audit", "--limit", "0"], "--limit must be 1 to 10000"), (["audit", "--limit", "10001"], "--limit must be"),
      (["audit", "--limit", "+5"], "--limit must be"), (["audit", "--before", "x"], "--before must be the number"),
      (["audit", "--since", "yesterday"], "--since must be a time"),
      (["audit", "--csv", "--json"], "only one of --csv"),
      (["audit", "--action", "app.deleted"], "--action must be one of"),
      (
        ["key", "create", "--environment", "x", "--name", "a", "--scope", "messages:send", "--role", "king"],
        "--role must be one of owner, administrator, member, external"
      ),
    ])
  func usage(arguments: [String], sentence: String) async throws {
    let environment = OperatorTests.environment("postgresql://kits@127.0.0.1:1/kits")
    let ending = try await KitsProcess(arguments, environment: environment).ending()
    #expect(ending.status == 64)
    #expect(ending.standardError.contains(sentence), "\(ending.standardError)")
  }

  @Test("Anything but a P-256 public key is refused with what it is, and nothing is written (SEC-K2, SEC-K4)")
  func badKeys() async throws {
    try await withDatabase { url in
      let desk = try await Desk(url)
      let arguments = [
        "identity-key", "add", "--environment", desk.environmentID, "--key-id", "k", "--public-key-file", "-",
      ]
      let secret = P256PrivateKey().pkcs8PEM
      for (text, sentence) in [
        (secret, "This is a private key: it was not stored, but treat it as compromised"),
        (P256PrivateKey().publicKey.spkiPEM + secret, "treat it as compromised"), ("", "There is no text."),
        ("hello", "This isn't PEM text."), (String(repeating: "x", count: 70_000), "larger than 65536 bytes"),
      ] {
        let ending = try await desk.run(arguments, input: text)
        #expect(ending.status == 1 && ending.standardOutput.isEmpty)
        #expect(ending.standardError.contains(sentence), "\(ending.standardError)")
        #expect(!ending.standardError.contains(secret.split(separator: "\n")[1].prefix(20)))
      }
      let list = try await desk.run("identity-key", "list", "--environment", desk.environmentID)
      #expect(list.standardOutput == "no keys\n")
    }
  }

  @Test("The log is read page by page, as a table and as CSV without formulas (SEC-D4)")
  func reading() async throws {
    try await withDatabase { url in
      let desk = try await Desk(url)
      _ = try await desk.run("environment", "create", "--project", desk.projectID, "--name", "=1+1,\"x\"")
      let page = try await desk.object("audit", "--limit", "1")
      let next = try #require(page["next_before"]?.integer)
      let rest = try await desk.object("audit", "--limit", "2", "--before", "\(next)")
      #expect(rest["next_before"] == .null)
      #expect(rest["entries"]?.array?.count == 1)
      #expect(try await desk.audit("--action", "environment.created").count == 1)
      #expect(try await desk.audit("--since", "2999-01-01T00:00:00Z").isEmpty)
      #expect(try await desk.audit("--since", "2020-01-01T00:00:00Z").count == 2)

      let csv = try await desk.run("audit", "--csv").standardOutput
      let lines = csv.components(separatedBy: "\r\n")
      #expect(lines.count == 4 && lines.last == "")
      #expect(
        lines[0] == "number,at,environment_id,actor_kind,actor_id,actor_role,action,target_kind,target_id,refusal,"
          + "changes,request_id")
      #expect(lines[1].contains(",command_line,,owner,environment.created,environment,"))
      #expect(lines[1].contains("=1+1") && !lines[1].contains(",="))
      let table = try await desk.run("audit").standardOutput
      #expect(table.hasPrefix("number  at ") && table.contains("project.created"))
    }
  }
}
