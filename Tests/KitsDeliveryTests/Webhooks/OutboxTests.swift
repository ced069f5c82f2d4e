import FoundationEssentials
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("What changes is told in the same transaction")
struct OutboxTests {
  private func types(_ world: World) async throws -> [EventType] { try await world.feed().map(\.type) }

  @Test("A message that is planned, delivered and finished tells three things, in this order")
  func life() async throws {
    try await World.with(installations: 3) { world in
      let (_, open) = try await world.send()
      #expect(try await types(world) == [.messageCreated])
      _ = try await world.plan(page: 1)
      #expect(try await types(world) == [.messageCreated, .messageStarted])
      while let window = try await world.node.claimChunk(of: open, window: 100) {
        _ = try await world.node.ack(.accepted(window))
      }
      #expect(try await world.node.finish(open))
      let feed = try await world.feed()
      #expect(feed.map(\.type) == [.messageCreated, .messageStarted, .messageCompleted])
      #expect(feed.map(\.number) == [1, 2, 3])
      // Asking again finishes nothing.
      #expect(try await !world.node.finish(open))
      #expect(try await world.feed().count == 3)
    }
  }

  @Test("A message to one device starts when it is created, and is completed by its ack")
  func single() async throws {
    try await World.with(installations: 1) { world in
      _ = try await world.send(.installations([world.members[0].id]))
      #expect(try await types(world) == [.messageCreated, .messageStarted])
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 10)
      _ = try await world.node.ack(singles: claimed.map { .accepted($0.window) })
      #expect(try await types(world).last == .messageCompleted)
    }
  }

  @Test("Planning that finds nobody completes without a start")
  func nobody() async throws {
    try await World.with(installations: 0) { world in
      _ = try await world.send()
      _ = try await world.plan()
      #expect(try await types(world) == [.messageCreated, .messageCompleted])
    }
  }

  @Test("A message that expires before anybody was found is completed")
  func expired() async throws {
    try await World.with(installations: 1) { world in
      let (id, _) = try await world.send()
      try await world.pool.script("UPDATE message SET expires_at = now() WHERE message_id = '\(id)'")
      try await world.node.endOverduePlansAndRetries()
      #expect(try await types(world) == [.messageCreated, .messageCompleted])
    }
  }

  @Test("A message that a guard stops is refused, and neither started nor completed")
  func refused() async throws {
    try await World.with(installations: 3) { world in
      _ = try await world.send(guards: AudienceGuards(maxRecipients: 2, expected: nil))
      _ = try await world.plan()
      #expect(try await types(world) == [.messageCreated, .messageRefused])
    }
  }

  @Test("What is rolled back was never told")
  func rollback() async throws {
    try await World.with(installations: 1) { world in
      let (id, _) = try await world.send()
      await #expect(throws: Surprise.self) {
        try await world.pool.transaction { transaction in
          _ = try await transaction.run(CancelMessage(environment: world.app.environment, id: id))
          throw Surprise("no")
        }
      }
      #expect(try await types(world) == [.messageCreated])
    }
  }

  private func retire(_ members: [Installation], _ world: World) async throws {
    _ = try await world.node.record(
      members.map {
        TokenFeedback(
          app: $0.appNumber, installation: $0.number, token: $0.token.text ?? "", state: .unregistered,
          confirmedAt: nil)
      })
  }

  @Test("A device that lost the app is told of only while an endpoint wants to know (T9)")
  func onDemand() async throws {
    try await World.with(installations: 5) { world in
      try await retire([world.members[0]], world)
      let other = try await world.webhook([.messageCompleted])
      try await retire([world.members[1]], world)
      let wants = try await world.webhook([.installationUnregistered])
      try await retire([world.members[2], world.members[3]], world)
      var change = WebhookChange()
      change.isEnabled = false
      _ = try await world.webhooks.change(
        environment: world.app.environment, id: wants, change, call: .commandLine(.webhookChanged),
        deadline: .now + .seconds(20))
      try await retire([world.members[4]], world)
      let feed = try await world.feed()
      #expect(feed.map(\.type) == [.installationUnregistered])
      let data = String(decoding: try #require(feed.first).data, as: UTF8.self)
      #expect(world.members.map { data.contains($0.id.text) } == [false, false, true, true, false])
      #expect(data.contains(#""platform": "ios""#) && other != wants)
    }
  }

  /// What a statement does that records notifications.
  private static func report(_ world: World, _ open: OpenMessage, type: Int) async throws {
    let numbers = world.members.map { "(\($0.appNumber.value), \($0.number.value))" }.joined(separator: ", ")
    let sql = """
      WITH fresh_events AS MATERIALIZED (
        SELECT v.app_no, v.installation_no, \(open.message.value)::bigint AS message_no, \(type)::smallint AS type,
          2::smallint AS source, timestamptz '2026-01-02 03:04:05.678+00' AS occurred_at
        FROM (VALUES \(numbers)) AS v (app_no, installation_no)
      ),
      \(OutboxSQL.notifications(from: "fresh_events"))
      SELECT 'done'
      """
    _ = try await world.pool.texts(sql)
  }

  @Test("Reported notifications of one message are told together, a hundred at most (K9)")
  func notifications() async throws {
    try await World.with(installations: 101) { world in
      let (_, open) = try await world.send()
      try await Self.report(world, open, type: 1)
      try await world.webhook([.notificationReceived])
      try await Self.report(world, open, type: 1)
      try await Self.report(world, open, type: 2)
      let feed = try await world.feed().filter { $0.type != .messageCreated }
      #expect(feed.map(\.type) == [.notificationReceived, .notificationReceived])
      let texts = feed.map { String(decoding: $0.data, as: UTF8.self) }
      let counts = texts.map { $0.matches(of: /"installation_id"/).count }
      #expect(counts == [100, 1])
      #expect(texts[1].contains(#""occurred_at": "2026-01-02T03:04:05.678Z""#))
      #expect(texts[1].contains(#""source": "extension""#))
    }
  }
}
