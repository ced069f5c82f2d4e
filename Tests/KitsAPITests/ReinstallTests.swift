import HTTPServer
import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

/// A device is reached once: a reinstall that brings the guid of the one before it takes its place.
struct ReinstallTests {
  private static func guid(_ character: Character = "c") -> String {
    #""identifiers":{"guid":\#(IdentifierTests.report(character))}"#
  }

  private static func token(_ text: String = Tenant.pushToken()) -> String { #""push_token":"\#(text)""# }

  private static func register(_ tenant: Tenant, _ parts: String...) async throws -> Device {
    try await tenant.device(#"{"platform":"ios","# + parts.joined(separator: ",") + "}")
  }

  private static func state(_ device: Device) async throws -> String {
    let json = try await device.read().json
    let reachable = json["reachable"]?.bool == true ? "reachable" : "unreachable"
    return "\(json.at("push_token", "state")?.string ?? "?") \(reachable)"
  }

  /// Installations that a message to everyone would reach.
  private static func reached(_ tenant: Tenant) async throws -> Int64 {
    try await tenant.running.count(
      """
      SELECT count(*) FROM app a JOIN installation i USING (app_no)
      JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
      WHERE a.app_id = '\(tenant.app.text)' AND i.reachable
      """)
  }

  /// Rows that belong to nobody that is reached.
  private static func strayOwners(_ tenant: Tenant) async throws -> Int64 {
    try await tenant.running.count(
      """
      SELECT count(*) FROM app a JOIN token_owner o USING (app_no)
      LEFT JOIN installation i ON i.app_no = o.app_no AND i.installation_no = o.installation_no
        AND i.push_token = o.token
      WHERE a.app_id = '\(tenant.app.text)' AND i.app_no IS NULL
      """)
  }

  @Test("A registration with the guid of another installation takes its token away")
  func registration() async throws {
    let tenant = try await Tenant.make()
    let old = try await Self.register(tenant, Self.token(), Self.guid())
    let other = try await Self.register(tenant, Self.token(), Self.guid("d"))
    #expect(try await Self.state(old) == "active reachable")
    let new = try await Self.register(tenant, Self.token(), Self.guid())
    #expect(try await Self.state(old) == "superseded unreachable")
    #expect(try await old.read().json.at("push_token", "suffix")?.isNull == true)
    #expect(try await Self.state(new) == "active reachable")
    #expect(try await Self.state(other) == "active reachable")
    #expect(try await Self.reached(tenant) == 2)
    #expect(try await Self.strayOwners(tenant) == 0)
  }

  @Test("The same push token survives a reinstall: the new installation owns it")
  func sameToken() async throws {
    let tenant = try await Tenant.make()
    let token = Self.token()
    let old = try await Self.register(tenant, token, Self.guid())
    let new = try await Self.register(tenant, token, Self.guid())
    #expect(try await Self.state(old) == "superseded unreachable")
    #expect(try await Self.state(new) == "active reachable")
    #expect(try await Self.reached(tenant) == 1)
    #expect(try await Self.strayOwners(tenant) == 0)
  }

  @Test("Another app's installation with the same guid stays, and a report without a guid supersedes nobody")
  func apart() async throws {
    let (tenant, other) = (try await Tenant.make(), try await Tenant.make())
    let device = try await Self.register(tenant, Self.token(), Self.guid())
    _ = try await Self.register(other, Self.token(), Self.guid())
    _ = try await Self.register(tenant, Self.token(), #""identifiers":{"guid":{"available":false}}"#)
    _ = try await Self.register(tenant, Self.token(), #""identifiers":{"idfv":\#(IdentifierTests.report("c"))}"#)
    #expect(try await Self.state(device) == "active reachable")
  }

  @Test("A patch takes the guid once its installation has a push token, whichever of the two comes last")
  func patches() async throws {
    let tenant = try await Tenant.make()
    let old = try await Self.register(tenant, Self.token(), Self.guid())
    let first = try await Self.register(tenant, Self.token())
    #expect(try await first.patch(#"{"state_revision":2,\#(Self.guid())}"#).status == 200)
    #expect(try await Self.state(old) == "superseded unreachable")
    let second = try await tenant.device()
    #expect(try await second.patch(#"{"state_revision":2,\#(Self.guid())}"#).status == 200)
    // It can't be reached yet, so the other one stays.
    #expect(try await Self.state(first) == "active reachable")
    #expect(try await second.patch(#"{"state_revision":3,\#(Self.token())}"#).status == 200)
    #expect(try await Self.state(first) == "superseded unreachable")
    #expect(try await Self.state(second) == "active reachable")
    #expect(try await Self.reached(tenant) == 1)
  }

  @Test("A superseded installation that registers its token again is active, and supersedes the other in turn")
  func back() async throws {
    let tenant = try await Tenant.make()
    let token = Self.token()
    let old = try await Self.register(tenant, token, Self.guid())
    let new = try await Self.register(tenant, Self.token(), Self.guid())
    #expect(try await old.patch(#"{"state_revision":2,"model":"x"}"#).status == 200)
    #expect(try await Self.state(old) == "superseded unreachable")
    let answer = try await old.patch(#"{"state_revision":3,\#(token)}"#)
    #expect(answer.json["reachable"]?.bool == true)
    #expect(try await Self.state(old) == "active reachable")
    #expect(try await Self.state(new) == "superseded unreachable")
    #expect(try await Self.reached(tenant) == 1)
  }

  @Test("A guid that was cleared, or whose installation was deleted, is kept nowhere")
  func forgotten() async throws {
    let tenant = try await Tenant.make()
    func guids() async throws -> Int64 {
      try await tenant.running.count(
        "SELECT count(*) FROM device_guid JOIN app USING (app_no) WHERE app_id = '\(tenant.app.text)'")
    }
    let device = try await Self.register(tenant, Self.token(), Self.guid())
    #expect(try await guids() == 1)
    #expect(try await device.patch(#"{"state_revision":2,"identifiers":{"guid":null}}"#).status == 200)
    #expect(try await guids() == 0)
    let next = try await Self.register(tenant, Self.token(), Self.guid())
    #expect(try await Self.state(device) == "active reachable")
    #expect(try await next.delete().status == 204)
    #expect(try await guids() == 0)
  }

  @Test("Replaying a registration supersedes nobody")
  func replay() async throws {
    let tenant = try await Tenant.make()
    let key = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
    let body = #"{"platform":"ios",\#(Self.token()),\#(Self.guid())}"#
    let first = try await tenant.register(body, key: key)
    let second = try await Self.register(tenant, Self.token(), Self.guid())
    let replayed = try await tenant.register(body, key: key)
    #expect(replayed.json["id"] == first.json["id"])
    #expect(try await Self.state(second) == "active reachable")
    #expect(try await Self.reached(tenant) == 1)
  }

  @Test("However many installations of one device come at once, on two nodes: one is reached")
  func concurrent() async throws {
    let shared = try await RunningAPI.shared.value
    let node = try await RunningAPI(sharing: shared)
    let tenant = try await Tenant.make()
    let elsewhere = Tenant(
      running: node, environment: tenant.environment, app: tenant.app, publicKey: tenant.publicKey)
    let devices = try await withThrowingTaskGroup(of: Device.self) { group in
      for index in 0..<16 {
        group.addTask {
          try await Self.register(index % 2 == 0 ? tenant : elsewhere, Self.token(), Self.guid())
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    // The row of a token that was given up in the same moment may stay: nothing is sent by it, and the sweep of owners
    // takes it away (`RetentionTests`).
    #expect(devices.count == 16)
    #expect(try await Self.reached(tenant) == 1)
    for round in 2..<5 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, device) in devices.enumerated() {
          group.addTask {
            let parts = index % 3 == 0 ? Self.guid() : Self.token()
            let reply = try await device.patch(#"{"state_revision":\#(round),\#(parts)}"#)
            #expect(reply.status == 200)
          }
        }
        try await group.waitForAll()
      }
      #expect(try await Self.reached(tenant) == 1)
    }
    await node.server.stop(grace: .seconds(1))
    await node.pool.close()
  }
}
