import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// Sixteen clients at once, on two nodes. No update is lost, none is applied twice, and what was answered stays so.
@Suite("Identity under contention", .serialized)
struct IdentityRaceTests {
  private static let clients = 16

  /// What a client was answered for one of its operations.
  private struct Deed: Sendable {
    let operation: String
    let user: String?
    let expected: String
    let reply: Reply
  }

  @Test("K21: concurrent logins and logouts lose no update and apply none twice; their replays agree")
  func oneInstallation() async throws {
    let (scene, nodes) = try await Self.scene()
    let device = try await scene.device()
    let deeds = try await withThrowingTaskGroup(of: [Deed].self) { group in
      for client in 0..<Self.clients {
        let device = Device(running: nodes[client % 2], id: device.id, token: device.token)
        group.addTask { try await Self.work(client, device, rounds: 6) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let decided = deeds.filter { [200, 409].contains($0.reply.status) }
    #expect(deeds.allSatisfy { [200, 409, 503].contains($0.reply.status) })
    let applied = decided.filter { ["bound", "logged_out"].contains($0.reply.json["result"]?.string) }
    let now = try await device.binding()
    #expect(now.number == Int64(applied.count) + 1)
    #expect(!applied.isEmpty)
    // A chain: each number was given once, and each binding was made from the one before it.
    let made = try applied.map { (deed: $0, binding: try Device.Binding($0.reply.json["binding"])) }
      .sorted { $0.binding.number < $1.binding.number }
    #expect(made.map(\.binding.number) == Array(2..<Int64(made.count) + 2))
    for (one, next) in zip(made, made.dropFirst()) { #expect(next.deed.expected == one.binding.id) }
    for (deed, binding) in made { #expect(binding.user == deed.user) }
    try await Self.replay(decided, device)
    #expect(try await device.binding() == now)
    #expect(try await scene.operations(of: device) == Int64(decided.count))
  }

  /// Every operation that was decided is answered again as it was.
  private static func replay(_ deeds: [Deed], _ device: Device) async throws {
    for deed in deeds {
      let again =
        if let user = deed.user {
          try await device.login(user, operation: deed.operation, expecting: deed.expected)
        } else {
          try await device.logout(operation: deed.operation, expecting: deed.expected)
        }
      #expect(again.status == deed.reply.status)
      #expect(again.json["result"] == deed.reply.json["result"])
      #expect(again.json["binding"] == deed.reply.json["binding"])
      #expect(again.json["replayed"]?.bool == true)
    }
  }

  /// A client that reads the binding and then changes it, as an SDK does.
  private static func work(_ client: Int, _ device: Device, rounds: Int) async throws -> [Deed] {
    var deeds: [Deed] = []
    for round in 0..<rounds {
      let user = (client + round).isMultiple(of: 4) ? nil : "user-\(client)-\(round)"
      let (operation, expected) = (Device.operationID(), try await device.binding().id)
      let reply =
        if let user {
          try await device.login(user, operation: operation, expecting: expected)
        } else {
          try await device.logout(operation: operation, expecting: expected)
        }
      deeds.append(Deed(operation: operation, user: user, expected: expected, reply: reply))
    }
    return deeds
  }

  @Test("K21: one operation from sixteen clients at once has one effect, and all hear of it")
  func oneOperation() async throws {
    let (scene, nodes) = try await Self.scene()
    for _ in 0..<4 {
      let device = try await scene.device()
      let (operation, expected) = (Device.operationID(), try await device.binding().id)
      let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
        for client in 0..<Self.clients {
          let device = Device(running: nodes[client % 2], id: device.id, token: device.token)
          group.addTask {
            try await Self.patiently { try await device.login("alice", operation: operation, expecting: expected) }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(replies.allSatisfy { $0.outcome.hasSuffix(": alice #2") })
      #expect(Set(replies.map(\.bindingID)).count == 1)
      #expect(replies.filter { $0.json["replayed"]?.bool == false }.count == 1)
      #expect(try await device.binding().number == 2)
    }
  }

  @Test("K28: an SDK and a backend at the same time: one is bound, the other hears of it")
  func bothFlows() async throws {
    let (scene, nodes) = try await Self.scene()
    let key = try await scene.tenant.serverKey([.usersWrite]).secret
    for _ in 0..<8 {
      let device = try await scene.device()
      let expected = try await device.binding().id
      let body =
        #"{"external_id":"backend","expected_binding_id":"\#(expected)","operation_id":"\#(Device.operationID())"}"#
      async let own = device.login("sdk", expecting: expected)
      async let backend = nodes[1].send(
        "POST", device.path + "/identify", headers: [("Authorization", "Bearer \(key.text)")], json: body)
      let replies = try await [own, backend]
      #expect(replies.map(\.status).sorted() == [200, 409])
      let winner = try #require(replies.first { $0.status == 200 })
      let loser = try #require(replies.first { $0.status == 409 })
      #expect(loser.json["binding"] == winner.json["binding"])
      #expect(try await device.binding() == Device.Binding(winner.json["binding"]))
    }
  }

  @Test("Many installations at once: each client's chain is unbroken")
  func manyInstallations() async throws {
    let (scene, nodes) = try await Self.scene()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<Self.clients {
        group.addTask {
          let made = try await scene.device()
          let device = Device(running: nodes[client % 2], id: made.id, token: made.token)
          var expected = try await device.binding().id
          for round in 0..<10 {
            let reply = try await device.login("user-\(round)", expecting: expected)
            #expect(reply.outcome == "200 bound: user-\(round) #\(round + 2)")
            expected = try #require(reply.bindingID)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func scene() async throws -> (IdentityScene, [RunningAPI]) {
    let node = try await RunningAPI.shared.value
    return (try await IdentityScene.make(.basic, node), [node, try RunningAPI(sharing: node)])
  }

  /// More than eight at a time for one installation are told to come again.
  private static func patiently(_ call: () async throws -> Reply) async throws -> Reply {
    while true {
      let reply = try await call()
      if reply.status != 503 { return reply }
    }
  }
}
