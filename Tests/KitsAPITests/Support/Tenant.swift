import Crypto
import Foundation
import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

/// A project with an environment and an app, so that tests don't see each other.
struct Tenant: Sendable {
  let running: RunningAPI
  let environment: EnvironmentID
  let app: AppID
  let publicKey: PublicKey

  static func make(
    _ running: RunningAPI? = nil, platforms: [Platform] = [.ios, .android]
  ) async throws -> Tenant {
    let running = if let running { running } else { try await RunningAPI.shared.value }
    func id<Entity>() -> Identifier<Entity> { Identifier(UUIDv7.make(now: 1_790_000_000_000)) }
    let tenant = Tenant(running: running, environment: id(), app: id(), publicKey: PublicKey.generate())
    try await running.access.createProject(
      id(), name: "Test", environment: tenant.environment, environmentName: "production",
      by: .commandLine(.projectCreated))
    let isCreated = try await running.access.createApp(
      NewApp(
        id: tenant.app, environment: tenant.environment, name: "App", bundleID: "com.example.app",
        platforms: platforms, publicKey: tenant.publicKey.text, apnsKey: nil),
      by: .commandLine(.appCreated))
    try #require(isCreated)
    return tenant
  }

  func serverKey(_ scopes: [Scope], role: Role = .owner) async throws -> (id: ServerKeyID, secret: ServerKeySecret) {
    let secret = ServerKeySecret.generate()
    let id = ServerKeyID(UUIDv7.make(now: 1_790_000_000_000))
    let isCreated = try await running.access.createServerKey(
      NewServerKey(
        id: id, environment: environment, name: "key", hash: secret.hash, lastFour: secret.lastFour, scopes: scopes,
        role: role), by: .commandLine(.serverKeyCreated))
    try #require(isCreated)
    return (id, secret)
  }

  func register(_ json: String = #"{"platform":"ios"}"#, key: String? = nil) async throws -> Reply {
    var headers = [("X-Kits-Public-Key", publicKey.text)]
    if let key { headers.append(("Idempotency-Key", key)) }
    return try await running.send("POST", "/v1/installations", headers: headers, json: json)
  }

  /// A registered installation to work with.
  func device(_ json: String = #"{"platform":"ios"}"#) async throws -> Device {
    let reply = try await register(json)
    try #require(reply.status == 201)
    return Device(
      running: running, id: try #require(reply.json["id"]?.string),
      token: try #require(reply.json["device_token"]?.string))
  }

  /// How many installations the app has.
  func installations() async throws -> Int64 {
    try await running.count(
      "SELECT count(*) FROM installation JOIN app USING (app_no) WHERE app_id = '\(app.text)'")
  }

  static func pushToken() -> String { Hex.encode(SystemRandom.bytes(32)) }
}

struct Device: Sendable {
  let running: RunningAPI
  let id: String
  let token: String

  var path: String { "/v1/installations/\(id)" }
  var bearer: [(String, String)] { [("Authorization", "Bearer \(token)")] }

  func patch(_ json: String) async throws -> Reply {
    try await running.send("PATCH", path, headers: bearer, json: json)
  }

  func read() async throws -> Reply { try await running.send("GET", path, headers: bearer) }
  func delete() async throws -> Reply { try await running.send("DELETE", path, headers: bearer) }
}
