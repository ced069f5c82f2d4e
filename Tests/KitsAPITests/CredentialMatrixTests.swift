import HTTPServer
import JSON
import KitsCore
import KitsStore
import TestSupport
import Testing

@testable import KitsAPI

/// Every route with every kind of credential (SEC-O11), both from the route table and the contract, so that a new route
/// is in it by itself.
@Suite("Every route with every credential", .serialized)
struct CredentialMatrixTests {
  enum Kind: CaseIterable, Sendable {
    case nothing, publicKey, publicKeyAsBearer, deviceToken, scopeless, wrongScopes, revoked, unknownServerKey
  }

  /// A tenant and its credentials.
  struct World {
    let tenant: Tenant
    let device: Device
    let scopeless: ServerKeySecret
    let revoked: ServerKeySecret

    static func make() async throws -> World {
      let tenant = try await Tenant.make()
      let revoked = try await tenant.serverKey(Scope.allCases)
      _ = try await tenant.running.access.revokeServerKey(revoked.id, by: .commandLine(.serverKeyRevoked))
      return World(
        tenant: tenant, device: try await tenant.device(), scopeless: try await tenant.serverKey([]).secret,
        revoked: revoked.secret)
    }

    /// Nil when there is nothing to tell: every scope is one that the route takes.
    func headers(_ kind: Kind, scopes: [String]) async throws -> [(String, String)]? {
      switch kind {
      case .nothing: []
      case .publicKey: [("X-Kits-Public-Key", tenant.publicKey.text)]
      case .publicKeyAsBearer: bearer(tenant.publicKey.text)
      case .deviceToken: bearer(device.token)
      case .scopeless: bearer(scopeless.text)
      case .wrongScopes:
        bearer(try await tenant.serverKey(Scope.allCases.filter { !scopes.contains($0.rawValue) }).secret.text)
      case .revoked: bearer(revoked.text)
      case .unknownServerKey: bearer(ServerKeySecret.generate().text)
      }
    }

    private func bearer(_ text: String) -> [(String, String)] { [("Authorization", "Bearer \(text)")] }
  }

  /// What a credential that the route doesn't take is answered; nil when the route takes it.
  static func refusal(_ kind: Kind, _ security: [String: [String]]) -> Set<String>? {
    let takesPublicKey = security["publicKey"] != nil
    let scopes = security["serverKey"]
    switch kind {
    case .nothing: return ["CREDENTIAL_MISSING"]
    case .publicKey: return takesPublicKey ? nil : ["CREDENTIAL_MISSING"]
    case .publicKeyAsBearer:
      return takesPublicKey ? ["CREDENTIAL_MISSING"] : ["DEVICE_TOKEN_INVALID", "SERVER_KEY_INVALID"]
    case .deviceToken:
      if security["deviceToken"] != nil { return nil }
      return takesPublicKey ? ["CREDENTIAL_MISSING"] : ["SERVER_KEY_INVALID"]
    case .scopeless, .wrongScopes:
      if let scopes { return scopes.isEmpty ? nil : ["SCOPE_MISSING"] }
      return takesPublicKey ? ["CREDENTIAL_MISSING"] : ["DEVICE_TOKEN_INVALID"]
    case .revoked, .unknownServerKey:
      if scopes != nil { return ["SERVER_KEY_INVALID"] }
      return takesPublicKey ? ["CREDENTIAL_MISSING"] : ["DEVICE_TOKEN_INVALID"]
    }
  }

  static func send(
    _ running: RunningAPI, _ method: String, _ path: String, _ headers: [(String, String)]
  ) async throws -> Reply {
    guard ["POST", "PATCH", "PUT"].contains(method) else {
      return try await running.send(method, path, headers: headers)
    }
    return try await running.send(method, path, headers: headers, json: "{}")
  }

  @Test("The contract says of every route which credentials it takes")
  func complete() {
    #expect(Set(Contract.security.keys) == Contract.operations)
    let schemes = Set(Contract.security.values.flatMap(\.keys))
    #expect(schemes == ["publicKey", "deviceToken", "serverKey"])
    let scopes = Set(Contract.security.values.flatMap { $0.values.flatMap { $0 } })
    #expect(scopes.isSubset(of: Scope.allCases.map(\.rawValue)))
  }

  @Test("A credential that a route doesn't take is refused before anything else is said", arguments: Kind.allCases)
  func matrix(_ kind: Kind) async throws {
    let world = try await World.make()
    var refused = 0
    for route in world.tenant.running.api.routes {
      let (method, pattern) = (route.method.rawValue, route.pattern)
      let security = try #require(Contract.security["\(method) \(pattern)"])
      guard let codes = Self.refusal(kind, security),
        let headers = try await world.headers(kind, scopes: security["serverKey"] ?? [])
      else { continue }
      let path = pattern.replacing(/\{[a-z_]+\}/, with: world.device.id)
      let reply = try await Self.send(world.tenant.running, method, path, headers)
      #expect(reply.status == 401 || reply.status == 403, "\(method) \(pattern)")
      #expect(codes.contains(reply.code ?? ""), "\(method) \(pattern): \(reply.code ?? "")")
      refused += 1
    }
    #expect(refused > 0)
    #expect(try await world.device.read().status == 200)
  }

  @Test("A key of another environment finds nothing of this one, whatever its scopes (SEC-A1, SEC-O1, SEC-R-j)")
  func otherEnvironment() async throws {
    let world = try await World.make()
    let stranger = try await Tenant.make().serverKey(Scope.allCases).secret
    let objects = ["/v1/installations/{id}": world.device.id, "/v1/apps/{id}/pause": world.tenant.app.text]
    var asked = 0
    for route in world.tenant.running.api.routes where route.pattern.contains("{") {
      let (method, pattern) = (route.method.rawValue, route.pattern)
      guard Contract.security["\(method) \(pattern)"]?["serverKey"] != nil else { continue }
      let id = objects[pattern] ?? (pattern.contains("/apps/") ? world.tenant.app.text : world.device.id)
      let path = pattern.replacing(/\{[a-z_]+\}/, with: id)
      let headers = [("Authorization", "Bearer \(stranger.text)")]
      // Some refuse `{}` before they look.
      let reply = try await Self.send(world.tenant.running, method, path, headers)
      if "\(method) \(pattern)" == "DELETE /v1/users/{external_id}" {
        // Whoever isn't there is erased all the same.
        #expect(reply.status == 200 && reply.json["installations"] == .integer(0))
      } else {
        #expect(reply.status == 404 || reply.status == 422, "\(method) \(pattern): \(reply.status)")
      }
      asked += 1
    }
    #expect(asked >= 5)
    #expect(try await world.device.read().status == 200)
  }

  @Test("HEAD, OPTIONS, PUT and an overriding header open nothing (SEC-O12)")
  func methods() async throws {
    let world = try await World.make()
    let running = world.tenant.running
    for route in running.api.routes {
      let path = route.pattern.replacing(/\{[a-z_]+\}/, with: world.device.id)
      for method in ["OPTIONS", "PUT", "TRACE", "HEAD"] {
        let reply = try await running.send(method, path)
        #expect([401, 405, 501].contains(reply.status), "\(method) \(path): \(reply.status)")
      }
    }
    let override = [("X-HTTP-Method-Override", "DELETE"), ("Authorization", "Bearer \(world.device.token)")]
    #expect(try await running.send("GET", world.device.path, headers: override).status == 200)
    #expect(try await world.device.read().status == 200)
  }
}
