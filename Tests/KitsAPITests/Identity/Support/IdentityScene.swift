import Crypto
import Foundation
import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

/// An environment with an identity key and an app, where logins are tried.
struct IdentityScene: Sendable {
  let tenant: Tenant
  let forge = TokenForge()
  var running: RunningAPI { tenant.running }

  static let keyID = "key-1"

  enum Mode: String, CaseIterable, Sendable {
    case basic = "auth_mode = 1, shadow = false"
    case verified = "auth_mode = 2, shadow = false"
    case shadow = "auth_mode = 2, shadow = true"
  }

  static func make(_ mode: Mode = .basic, _ running: RunningAPI? = nil) async throws -> IdentityScene {
    let scene = IdentityScene(tenant: try await Tenant.make(running))
    if mode != .basic { try await scene.turn(mode) }
    try await scene.add(scene.forge.key.publicKey, as: keyID)
    return scene
  }

  func device() async throws -> Device { try await tenant.device() }

  /// Switches the environment, as an operator does.
  func turn(_ mode: Mode) async throws {
    try await running.run(
      """
      UPDATE environment SET \(mode.rawValue), policy_revision = policy_revision + 1
      WHERE environment_id = '\(tenant.environment.text)'
      """)
  }

  func add(_ key: P256PublicKey, as keyID: String) async throws {
    try await running.run(
      """
      INSERT INTO identity_key (environment_no, key_id, spki)
      SELECT environment_no, '\(keyID)', '\\x\(Hex.encode(key.spki))'
      FROM environment WHERE environment_id = '\(tenant.environment.text)'
      """)
  }

  func revoke(_ keyID: String = keyID) async throws {
    try await running.run(
      """
      UPDATE identity_key k SET revoked_at = now() FROM environment e
      WHERE e.environment_no = k.environment_no AND e.environment_id = '\(tenant.environment.text)'
        AND key_id = '\(keyID)'
      """)
  }

  /// What an erasure leaves behind of a user.
  func bury(_ user: String, at time: String = "now()") async throws {
    let hash = Hex.encode(SHA256.hash(Array(tenant.environment.text.utf8) + [0] + Array(user.utf8)))
    try await running.run(
      """
      INSERT INTO erased_user (environment_no, user_hash, erased_at)
      SELECT environment_no, '\\x\(hash)', \(time) FROM environment WHERE environment_id = '\(tenant.environment.text)'
      """)
  }

  /// A token of the customer's backend.
  func token(
    _ user: String, issued ago: Int64 = 0, lives seconds: Int64 = 300, keyID: String = keyID,
    by forge: TokenForge? = nil,
    app: String? = nil
  ) throws -> String {
    let issuedAt = Int64(Date().timeIntervalSince1970) - ago
    let identity = String(decoding: JSON.canonical(.string(user)), as: UTF8.self)
    return try (forge ?? self.forge).token(
      header: #"{"alg":"ES256","kid":"\#(keyID)"}"#,
      claims: TokenForge.claims(
        iss: "\"\(app ?? tenant.app.text)\"", iat: "\(issuedAt)", exp: "\(issuedAt + seconds)",
        identity: #"{"external_id":\#(identity)}"#))
  }

  /// Refused proofs of the app: `cause` or `cause, let through`, and how often.
  func rejections() async throws -> [String: Int64] {
    let app = tenant.app
    var counts: [String: Int64] = [:]
    for entry in try await IdentityStore(pool: running.pool).rejections(days: 1) where entry.app == app {
      counts[entry.wasOverlooked ? "\(entry.cause), let through" : entry.cause, default: 0] += entry.count
    }
    return counts
  }

  func policyRevision() async throws -> Int64 {
    try await running.count(
      "SELECT policy_revision FROM environment WHERE environment_id = '\(tenant.environment.text)'")
  }

  func operations(of device: Device) async throws -> Int64 {
    try await running.count(
      """
      SELECT count(*) FROM identity_operation JOIN installation USING (app_no, installation_no)
      WHERE installation_id = '\(device.id)'
      """)
  }
}

extension RunningAPI {
  func run(_ sql: String) async throws { try await pool.script(sql) }
}
