import Foundation
import JSON
import TestSupport
import Testing

/// What is cut off in the middle still adds up.
@Suite("An interrupted send", .serialized)
struct InterruptionTests {
  static let devices = 3000
  static let everyone = #"{"target": {"everyone": true}, "title": "Hello"}"#

  /// Sends to everyone and returns when APNs has some and holds back its answers to others.
  static func begin(_ server: RunningServer) async throws -> String {
    try await server.fill(devices)
    try await server.simulator.post("/hold?after=500")
    let id = try await server.send(everyone)
    try await server.simulator.wait("held=100")
    return id
  }

  @Test("Canceling in the middle keeps what was accepted, cancels the rest, and the ledger adds up")
  func cancel() async throws {
    try await withServer { server in
      let id = try await Self.begin(server)
      let canceled = try await server.call("POST", "/v1/messages/\(id)/cancel")
      #expect(canceled.status == 200 && canceled.object["state"]?.string == "canceled")
      try await server.simulator.post("/release")
      let message = try await server.settled(id)
      let accepted = try #require(message.ledger("accepted"))
      let left = try #require(message.ledger("canceled"))
      #expect(accepted >= 500 && left > 0 && accepted + left == Int64(Self.devices))
      #expect(message.ledgerAddsUp)
      #expect(try await server.simulator.count("accepted") == Int(accepted))
      let watched = try await KitsProcess.run(
        "message", "watch", id, "--url", server.baseURL, environment: ["KITS_SERVER_KEY": server.tenant.serverKey])
      #expect(watched.status == 1)
      #expect(watched.standardOutput.contains("canceled  \(left)\n"))
      #expect(watched.standardError.hasSuffix("kits: the message is canceled\n"))
    }
  }

  @Test("After SIGTERM in the middle and a restart everybody got it exactly once")
  func terminate() async throws {
    try await withServer { server in
      let id = try await Self.begin(server)
      server.signal(SIGTERM)
      _ = try await eventually("the signal was seen") { server.log.contains("signal_received") ? true : nil }
      try await server.simulator.post("/release")
      #expect(try await server.ending().status == 0)
      #expect(try await server.simulator.count("accepted") < Self.devices)
      try await server.restart()
      let message = try await server.settled(id)
      #expect(message.ledger("accepted") == Int64(Self.devices) && message.ledgerAddsUp)
      #expect(try await server.simulator.count("accepted") == Self.devices)
      #expect(try await server.simulator.count("duplicate_apns_ids") == 0)
      #expect(try await server.simulator.count("distinct_tokens") == Self.devices)
    }
  }

  @Test("After kill -9 in the middle nobody is left out, and what comes twice replaces itself on the device")
  func kill() async throws {
    try await withServer(settings: ["KITS_LEASE_SECONDS": "5"]) { server in
      let id = try await Self.begin(server)
      server.signal(SIGKILL)
      #expect(try await server.ending().status == -SIGKILL)
      try await server.simulator.post("/release")
      try await server.restart()
      let message = try await server.settled(id)
      #expect(message.ledger("accepted") == Int64(Self.devices) && message.ledgerAddsUp)
      #expect(try await server.simulator.count("distinct_tokens") == Self.devices)
      #expect(try await server.simulator.count("distinct_apns_ids") == Self.devices)
      let duplicates = try await server.simulator.count("duplicate_apns_ids")
      #expect(duplicates > 0 && duplicates <= 500)
      // The same collapse id: the device shows one.
      #expect(try await server.simulator.count("replaced") == duplicates)
    }
  }

  @Test("A node that was stopped for longer than its lease sends nothing when it wakes up")
  func frozen() async throws {
    try await withServer(settings: ["KITS_LEASE_SECONDS": "5"]) { server in
      let id = try await Self.begin(server)
      server.signal(SIGSTOP)
      try await server.simulator.post("/release")
      let other = try await server.anotherNode()
      let url = "http://127.0.0.1:\(other.port)/v1/messages/\(id)"
      try await server.simulator.wait("accepted=\(Self.devices)", milliseconds: 60_000)
      let message = try await eventually("the other node finished") {
        let message = try await HTTPCall("GET", url, bearer: server.tenant.serverKey).answer().object
        return message["state"]?.string == "completed" && message.ledger("pending") == 0 ? message : nil
      }
      #expect(message.ledger("accepted") == Int64(Self.devices) && message.ledgerAddsUp)
      let received = try await server.simulator.count("received")
      server.signal(SIGCONT)
      _ = try await eventually("the node woke up") { try await server.isReady() ? true : nil }
      server.signal(SIGTERM)
      #expect(try await server.ending().status == 0)
      #expect(try await server.simulator.count("received") == received)
      #expect(try await server.simulator.count("distinct_apns_ids") == Self.devices)
      other.signal(SIGTERM)
      #expect(await other.ending().status == 0)
    }
  }

  @Test("While APNs can't be reached a node still stops in order, and nothing is lost")
  func unreachable() async throws {
    try await withServer(settings: ["KITS_APNS_PRODUCTION_URL": "https://127.0.0.1:1"]) { server in
      try await server.fill(10)
      let id = try await server.send(Self.everyone)
      _ = try await eventually("it was tried") { server.log.contains("apns_connect_failed") ? true : nil }
      let began = ContinuousClock.now
      server.signal(SIGTERM)
      #expect(try await server.ending().status == 0)
      #expect(ContinuousClock.now - began < .seconds(20))
      try await server.restart()
      let message = try await server.message(id)
      #expect(message.ledger("pending") == 10 && message.ledgerAddsUp)
    }
  }

  @Test("The halves run apart: one process takes requests, another delivers")
  func halves() async throws {
    try await withServer { server in
      let api = try await server.anotherNode("--only", "api")
      let delivery = try await server.anotherNode("--only", "delivery")
      server.signal(SIGTERM)
      #expect(try await server.ending().status == 0)
      #expect(delivery.port == 0 && api.port != 0)
      try await server.fill(10)
      let created = try await HTTPCall(
        "POST", "http://127.0.0.1:\(api.port)/v1/messages", bearer: server.tenant.serverKey, json: Self.everyone
      ).answer()
      #expect(created.status == 201)
      try await server.simulator.wait("accepted=10")
      #expect(delivery.log.contains("message_planned") && !api.log.contains("message_planned"))
      for node in [api, delivery] {
        node.signal(SIGTERM)
        #expect(await node.ending().status == 0)
      }
    }
  }

  @Test("While the database is down requests end at once with 503, afterwards everything works again")
  func databaseRestart() async throws {
    let cluster = try TestCluster()
    let server = try await RunningServer(databaseURL: cluster.url)
    defer { server.signal(SIGKILL) }
    let device = try await server.register(token: FirstPushTests.token)
    try cluster.stop(.immediate)
    for _ in 0..<5 {
      let refused = try await HTTPCall("GET", server.baseURL + "/v1/messages", bearer: server.tenant.serverKey).answer(
        timeout: .seconds(8))
      #expect(refused.status == 503 && refused.code == "DATABASE_UNAVAILABLE", "\(refused.text)")
    }
    #expect(try await !server.isReady())
    try cluster.start()
    _ = try await eventually("the server is ready again") { try await server.isReady() ? true : nil }
    let id = try await server.send(#"{"target": {"installation_ids": ["\#(device.id)"]}, "title": "Hello"}"#)
    #expect(try await server.settled(id).ledger("accepted") == 1)
    server.signal(SIGTERM)
    #expect(try await server.ending().status == 0)
    try cluster.remove()
  }
}
