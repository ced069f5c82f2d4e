import Crypto
import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

@Suite("The audit log of changes by server keys", .serialized)
struct AuditTests {
  /// Every administrative route, with what makes it do something.
  struct Call: Sendable, CustomTestStringConvertible {
    let method: String
    let pattern: String
    let action: AuditAction
    let scope: Scope
    /// `{pem}` stands for a fresh public key.
    let body: String?

    var testDescription: String { "\(method) \(pattern)" }

    static let all = [
      Call(
        method: "POST", pattern: "/v1/apps/{id}/pause", action: .appPaused, scope: .appsWrite,
        body: #"{"reason":"x"}"#),
      Call(method: "POST", pattern: "/v1/apps/{id}/resume", action: .appResumed, scope: .appsWrite, body: "{}"),
      Call(
        method: "PATCH", pattern: "/v1/environment", action: .environmentChanged, scope: .environmentsWrite,
        body: #"{"raw_identifiers":true}"#),
      Call(
        method: "POST", pattern: "/v1/identity-keys", action: .identityKeyAdded, scope: .identityKeysWrite,
        body: #"{"key_id":"new","public_key":"{pem}"}"#),
      Call(
        method: "DELETE", pattern: "/v1/identity-keys/{key_id}", action: .identityKeyRevoked, scope: .identityKeysWrite,
        body: nil),
    ]

    /// The object that it is done to, as it is before.
    func prepare(_ backend: Backend) async throws -> String {
      let app = backend.tenant.app.text
      if action == .appResumed {
        _ = try await backend.running.pool.script(
          """
          INSERT INTO app_circuit (app_no, apns_environment, state, epoch, reason)
          SELECT app_no, 1, 2, 1, 1 FROM app WHERE app_id = '\(app)'
          """)
      }
      if action == .identityKeyRevoked {
        try await backend.running.pool.script(
          """
          INSERT INTO identity_key (environment_no, key_id, spki)
          SELECT environment_no, 'old', decode(repeat('00', 91), 'hex') FROM environment
          WHERE environment_id = '\(backend.tenant.environment.text)'
          """)
      }
      return pattern.replacing("{id}", with: app).replacing("{key_id}", with: "old")
    }

    func send(_ backend: Backend, _ path: String) async throws -> Reply {
      guard let body else { return try await backend.delete(path) }
      let pem = P256PrivateKey().publicKey.spkiPEM.replacing("\n", with: "\\n")
      return try await backend.running.send(
        method, path, headers: backend.bearer, json: body.replacing("{pem}", with: pem))
    }
  }

  @Test("These are all routes that ask for a role, except those of request signing and erasure")
  func complete() {
    let administrative = Contract.security.filter { operation, schemes in
      let scopes = Set(schemes["serverKey"] ?? [])
      return !operation.hasPrefix("GET ")
        && !scopes.isDisjoint(with: ["apps:write", "environments:write", "identity-keys:write"])
    }
    let known = Set(Call.all.map { "\($0.method) \($0.pattern)" })
    #expect(Set(administrative.keys.filter { !$0.contains("signing") }) == known)
  }

  @Test("A change leaves exactly one entry, of the authorised objects (SEC-G1, SEC-G2)", arguments: Call.all)
  func change(_ call: Call) async throws {
    let backend = try await Backend.make([call.scope], role: .administrator)
    let path = try await call.prepare(backend)
    var requestID: String?
    let entries = try await backend.tenant.entries {
      let reply = try await call.send(backend, path)
      #expect((200...201).contains(reply.status))
      requestID = reply.header("X-Request-Id")
    }
    try #require(entries.count == 1)
    let entry = entries[0]
    #expect(entry.action == call.action.rawValue && entry.refusal == nil)
    #expect(entry.actor == .serverKey(backend.keyID, role: .administrator))
    #expect(entry.environment == backend.tenant.environment)
    #expect(entry.targetID != nil && entry.requestID == requestID && entry.changes.count > 2)
  }

  @Test("The same change again changes nothing and leaves nothing", arguments: Call.all)
  func repeated(_ call: Call) async throws {
    let backend = try await Backend.make([call.scope])
    let path = try await call.prepare(backend)
    // A key is added once only, under its id.
    if call.action == .identityKeyAdded { return }
    _ = try await call.send(backend, path)
    let entries = try await backend.tenant.entries {
      let reply = try await call.send(backend, path)
      #expect(reply.status == 200)
    }
    #expect(entries == [])
  }

  @Test("A role that may not is refused and written down, and nothing changes (T3, SEC-G3)", arguments: Call.all)
  func role(_ call: Call) async throws {
    let allowed = Role.allCases.filter { $0.may(call.action.privilege) }
    for role in Role.allCases {
      let backend = try await Backend.make([call.scope], role: role)
      let path = try await call.prepare(backend)
      let entries = try await backend.tenant.entries {
        let reply = try await call.send(backend, path)
        if allowed.contains(role) {
          #expect((200...201).contains(reply.status))
        } else {
          #expect(reply.status == 403 && reply.code == "ROLE_FORBIDDEN")
        }
      }
      #expect(entries.map(\.refusal) == [allowed.contains(role) ? nil : "ROLE_FORBIDDEN"])
      #expect(entries.first?.action == call.action.rawValue && entries.first?.actor.role == role)
    }
  }

  @Test("A missing scope is refused and written down (SEC-G3)", arguments: Call.all)
  func scope(_ call: Call) async throws {
    let backend = try await Backend.make(Scope.allCases.filter { $0 != call.scope })
    let path = try await call.prepare(backend)
    let entries = try await backend.tenant.entries {
      let reply = try await call.send(backend, path)
      #expect(reply.code == "SCOPE_MISSING")
    }
    #expect(entries.map(\.refusal) == ["SCOPE_MISSING"])
    #expect(entries.first?.changesText == "{}")
  }

  @Test(
    "Of a path that names nothing nothing is repeated in the log",
    arguments: ["kits_sk_secret", "a%20b", "%E2%80%AE"])
  func target(id: String) async throws {
    let backend = try await Backend.make([.messagesRead])
    let entries = try await backend.tenant.entries {
      let reply = try await backend.post("/v1/apps/\(id)/pause")
      #expect(reply.status == 403)
    }
    #expect(entries.map(\.targetID) == [nil])
  }

  @Test("An entry can't be changed, not even by whoever owns the database (SEC-G6)")
  func fixed() async throws {
    let backend = try await Backend.make([.appsWrite])
    _ = try await backend.post("/v1/apps/\(backend.tenant.app.text)/pause")
    await #expect(throws: PostgresError.self) {
      try await backend.running.pool.script("UPDATE audit_entry SET actor_id = NULL")
    }
    #expect(!Contract.operations.contains { $0.contains("audit") && !$0.hasPrefix("GET ") })
  }

  @Test("A key's role never exceeds its creator's (SEC-R-f)", arguments: Role.allCases)
  func keyRoles(creator: Role) async throws {
    let tenant = try await Tenant.make()
    for role in Role.allCases {
      let secret = ServerKeySecret.generate()
      let key = NewServerKey(
        id: ServerKeyID(UUIDv7.make(now: 1_790_000_000_000)), environment: tenant.environment, name: "k",
        hash: secret.hash, lastFour: secret.lastFour, scopes: [], role: role)
      let call = AuditedCall(actor: .serverKey(key.id, role: creator), action: .serverKeyCreated)
      #expect(try await tenant.running.access.createServerKey(key, by: call) == creator.mayGrant(role))
    }
    let keys = try await tenant.running.access.serverKeys(environment: tenant.environment)
    #expect(keys?.map(\.role) == Role.allCases.filter(creator.mayGrant))
  }

  @Test("A key is revoked for every node at once, and its text is nowhere (SEC-A4, SEC-A5)")
  func secrets() async throws {
    let backend = try await Backend.make([.appsWrite, .environmentsWrite])
    let other = AccessStore(pool: backend.running.pool)
    let deadline = ContinuousClock.now + .seconds(20)
    #expect(try await other.authenticate(serverKeyHash: backend.secret.hash, deadline: deadline) != nil)
    _ = try await backend.patch("/v1/environment", #"{"raw_identifiers":true}"#)
    let revoked = try await backend.running.access.revokeServerKey(backend.keyID, by: .commandLine(.serverKeyRevoked))
    #expect(revoked)
    #expect(try await other.authenticate(serverKeyHash: backend.secret.hash, deadline: deadline) == nil)
    #expect(try await backend.get("/v1/environment").code == "SERVER_KEY_INVALID")
    let rows = try await backend.running.texts("SELECT audit_entry::text FROM audit_entry")
    let hash = Hex.encode(backend.secret.hash)
    for row in rows { #expect(!row.contains("kits_sk_") && !row.contains(hash)) }
    for event in backend.running.events.all { #expect(!"\(event)".contains("kits_sk_")) }
  }

  @Test("Pages follow one another without a gap, filtered or not")
  func pages() async throws {
    let backend = try await Backend.make([.environmentsWrite])
    for number in 0..<7 {
      _ = try await backend.patch("/v1/environment", "{\"raw_identifiers\":\(number.isMultiple(of: 2))}")
    }
    let all = try await backend.tenant.audit()
    #expect(all.count == 10)
    var selection = AuditSelection(limit: 4)
    selection.environment = backend.tenant.environment
    selection.action = .environmentChanged
    let store = AuditStore(pool: backend.running.pool)
    var found: [AuditEntry] = []
    while let last = try await store.entries(selection).nonEmpty {
      found += last
      selection.before = last.last?.number
    }
    #expect(found == all.filter { $0.action == "environment.changed" } && found.count == 7)
    selection.before = nil
    selection.since = found[2].at
    #expect(try await store.entries(selection).count >= 3)
    selection.since = Timestamp(microseconds: found[0].at.microseconds + 1)
    #expect(try await store.entries(selection) == [])
  }
}

extension Array {
  fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
