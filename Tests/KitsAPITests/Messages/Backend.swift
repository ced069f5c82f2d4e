import Crypto
import HTTPServer
import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

/// A customer's backend: a tenant's server key and what is done with it.
struct Backend: Sendable {
  let tenant: Tenant
  let keyID: ServerKeyID
  let secret: ServerKeySecret

  var running: RunningAPI { tenant.running }

  static func make(
    _ scopes: [Scope] = [.messagesSend, .messagesRead], of tenant: Tenant? = nil,
    role: Role = .owner
  ) async throws -> Backend {
    let tenant = if let tenant { tenant } else { try await Tenant.make() }
    let key = try await tenant.serverKey(scopes, role: role)
    return Backend(tenant: tenant, keyID: key.id, secret: key.secret)
  }

  var bearer: [(String, String)] { [("Authorization", "Bearer \(secret.text)")] }

  func create(_ json: String, key: String? = nil) async throws -> Reply {
    try await post("/v1/messages", json, key: key)
  }

  func validate(_ json: String) async throws -> Reply { try await post("/v1/messages/validate", json) }

  func post(_ path: String, _ json: String, key: String? = nil) async throws -> Reply {
    let idempotency = key.map { [("Idempotency-Key", $0)] } ?? []
    return try await running.send("POST", path, headers: bearer + idempotency, json: json)
  }

  func post(_ path: String) async throws -> Reply { try await running.send("POST", path, headers: bearer) }
  func patch(_ path: String, _ json: String) async throws -> Reply {
    try await running.send("PATCH", path, headers: bearer, json: json)
  }

  func delete(_ path: String) async throws -> Reply { try await running.send("DELETE", path, headers: bearer) }
  func get(_ path: String) async throws -> Reply { try await running.send("GET", path, headers: bearer) }

  /// A message to everyone; its id.
  func message(_ title: String = "Hello") async throws -> String {
    let reply = try await create("{\"target\":{\"everyone\":true},\"title\":\"\(title)\"}")
    try #require(reply.status == 201)
    return try #require(reply.json["id"]?.string)
  }

  /// How many messages the tenant's environment has.
  func messageCount() async throws -> Int64 {
    try await running.count(
      """
      SELECT count(*) FROM message JOIN app USING (app_no) JOIN environment USING (environment_no)
      WHERE environment_id = '\(tenant.environment.text)'
      """)
  }

  /// Another app in the same environment.
  func addApp() async throws -> AppID {
    let app = AppID(UUIDv7.make(now: 1_790_000_000_000))
    let isCreated = try await running.access.createApp(
      NewApp(
        id: app, environment: tenant.environment, name: "Second", bundleID: "com.example.second", platforms: [.ios],
        publicKey: PublicKey.generate().text, apnsKey: nil), by: .commandLine(.appCreated))
    try #require(isCreated)
    return app
  }

  /// Puts a message into a state as delivery would: one chunk with these outcome bytes.
  func deliver(_ id: String, state: MessageState, outcomes: [UInt8]) async throws {
    let members = outcomes.indices.map { String($0 + 1) }.joined(separator: ",")
    try await running.pool.script(
      """
      INSERT INTO message_chunk (app_no, message_no, chunk_no, n, lo, hi, members, outcomes)
      SELECT app_no, message_no, 0, \(outcomes.count), 1, \(outcomes.count), '{\(members)}',
        decode('\(Hex.encode(outcomes))', 'hex')
      FROM message WHERE message_id = '\(id)';
      UPDATE message SET state = \(state.rawValue), plan_done = true, planned = \(outcomes.count),
        started_at = now(), completed_at = CASE \(state.rawValue) WHEN 3 THEN now() END
      WHERE message_id = '\(id)';
      """)
  }
}
