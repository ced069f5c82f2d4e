import JSON
import KitsAPI
import KitsCore
import Testing

/// A backend that asks for legacy proofs.
struct LegacyDesk: Sendable {
  let scene: IdentityScene
  let secret: ServerKeySecret

  init(_ scene: IdentityScene, scopes: [Scope] = [.identityWrite]) async throws {
    self.scene = scene
    secret = try await scene.tenant.serverKey(scopes).secret
  }

  func ask(_ json: String) async throws -> Reply {
    try await scene.running.send(
      "POST", "/v1/identity-tokens", headers: [("Authorization", "Bearer \(secret.text)")], json: json)
  }

  func proof(
    _ user: String, _ device: Device, operation: String, binding: String, ttl: Int = 300
  ) async throws -> String {
    let reply = try await ask(
      #"""
      {"installation_id":"\#(device.id)","external_id":"\#(user)","expected_binding_id":"\#(binding)",
       "operation_id":"\#(operation)","ttl_seconds":\#(ttl)}
      """#)
    try #require(reply.status == 200)
    return try #require(reply.json["token"]?.string)
  }
}
