import FoundationEssentials
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("Endpoints get events in turns under a lease")
struct WebhookTurnTests {
  /// An endpoint, and messages that were created and canceled.
  private func with(messages count: Int, _ body: (World, WebhookID, [MessageID]) async throws -> Void) async throws {
    try await World.with(installations: 0) { world in
      let id = try await world.webhook([.messageCreated, .messageCanceled])
      var messages: [MessageID] = []
      for _ in 0..<count { messages.append(try await world.send().id) }
      for message in messages {
        _ = try await world.messages.cancel(
          environment: world.app.environment, id: message, deadline: .now + .seconds(20))
      }
      _ = try await world.feed()
      try await body(world, id, messages)
    }
  }

  @Test("One node at a time works for an endpoint; what is done isn't done again")
  func lease() async throws {
    try await with(messages: 2) { world, id, messages in
      let (one, two) = (world.sender(1), world.sender(2))
      let claim = try #require(try await one.claim())
      #expect(claim.id == id)
      #expect(try await two.claim() == nil)
      let batch = try await one.new(claim, limit: 100)
      #expect(batch.tasks.map(\.subject) == messages + messages)
      #expect(try await one.record(WebhookTurn(claim, batch) { _ in .delivered }))
      try await one.release(claim)
      #expect(try await two.claim() == nil)
    }
  }

  @Test("Whoever lost its lease writes nothing and sends nothing more")
  func lost() async throws {
    try await with(messages: 1) { world, _, _ in
      let one = world.sender(1)
      let claim = try #require(try await one.claim())
      let batch = try await one.new(claim, limit: 100)
      #expect(try await one.holds(claim))
      try await world.expireWebhookLeases()
      #expect(try await !one.holds(claim))
      #expect(try await !one.renew(claim))
      let other = try #require(try await world.sender(2).claim())
      #expect(try await !one.record(WebhookTurn(claim, batch) { _ in .delivered }))
      #expect(try await world.sender(2).new(other, limit: 100) == batch)
    }
  }

  @Test("An event that fails holds up its message and no other; then they go on in their order")
  func poison() async throws {
    try await with(messages: 3) { world, _, messages in
      let node = world.sender()
      var claim = try #require(try await node.claim())
      // The three creations.
      var batch = try await node.new(claim, limit: 3)
      _ = try await node.record(
        WebhookTurn(claim, batch) { $0.subject == messages[0] ? .again(milliseconds: 3_600_000) : .delivered })
      // The three cancels.
      batch = try await node.new(claim, limit: 100)
      #expect(batch.tasks.map(\.isBlocked) == [true, false, false])
      _ = try await node.record(WebhookTurn(claim, batch) { $0.isBlocked ? .behind : .delivered })
      #expect(try await node.due(claim, limit: 100).tasks == [])
      try await node.release(claim)
      #expect(try await node.claim() == nil)

      try await world.hastenWebhooks()
      claim = try #require(try await node.claim())
      let head = try await node.due(claim, limit: 100)
      #expect(head.tasks.map(\.event.type) == [.messageCreated] && head.tasks.map(\.attempts) == [1])
      _ = try await node.record(WebhookTurn(claim, head) { _ in .delivered })
      let next = try await node.due(claim, limit: 100)
      #expect(next.tasks.map(\.event.type) == [.messageCanceled] && next.tasks.map(\.attempts) == [0])
      _ = try await node.record(WebhookTurn(claim, next) { _ in .delivered })
      #expect(try await world.pool.texts("SELECT feed_no::text FROM webhook_delivery") == [])
    }
  }

  @Test("After three days an event is given up, and what waited behind it goes on")
  func dead() async throws {
    try await with(messages: 1) { world, id, _ in
      let node = world.sender()
      let claim = try #require(try await node.claim())
      let batch = try await node.new(claim, limit: 100)
      _ = try await node.record(
        WebhookTurn(claim, batch) { $0.event.type == .messageCreated ? .again(milliseconds: 0) : .behind })
      #expect(try await node.due(claim, limit: 100).tasks.map(\.isOverdue) == [false])
      try await world.pool.script("UPDATE webhook_delivery SET first_at = now() - interval '3 days' WHERE attempts > 0")
      let overdue = try await node.due(claim, limit: 100)
      #expect(overdue.tasks.map(\.isOverdue) == [true])
      _ = try await node.record(WebhookTurn(claim, overdue) { _ in .dead })
      #expect(try await node.due(claim, limit: 100).tasks.map(\.event.type) == [.messageCanceled])
      let dead = try await world.webhooks.deliveries(
        environment: world.app.environment, id: id, state: .dead, after: 0, limit: 10, deadline: .now + .seconds(20))
      #expect(dead.map(\.event.type) == [.messageCreated] && dead.map(\.attempts) == [2])
      #expect(dead.first?.lastStatus == 500 && dead.first?.nextAttemptAt == nil)
    }
  }

  @Test("410 switches the endpoint off; so does removing it: nothing more is taken for it")
  func gone() async throws {
    try await with(messages: 1) { world, id, _ in
      let node = world.sender()
      let claim = try #require(try await node.claim())
      let batch = try await node.new(claim, limit: 100)
      _ = try await node.record(WebhookTurn(claim, batch, isGone: true) { _ in .again(milliseconds: 0) })
      #expect(try await !node.holds(claim))
      try await node.release(claim)
      #expect(try await node.claim() == nil)
      let webhook = try await world.webhooks.read(
        environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      #expect(webhook?.disabledReason == .gone && webhook?.definition.isEnabled == false)
      #expect(
        try await world.webhooks.delete(
          environment: world.app.environment, id: id, call: .commandLine(.webhookDeleted),
          deadline: .now + .seconds(20)))
      #expect(try await world.pool.texts("SELECT feed_no::text FROM webhook_delivery") == [])
      #expect(try await !node.record(WebhookTurn(claim, batch) { _ in .delivered }))
    }
  }

  @Test("Events of other types are passed over, and an endpoint with too many waiting gets nothing new")
  func reach() async throws {
    try await World.with(installations: 0) { world in
      try await world.webhook([.messageCanceled])
      for _ in 0..<5 { _ = try await world.send() }
      _ = try await world.feed()
      let node = world.sender()
      let claim = try #require(try await node.claim())
      let part = try await node.new(claim, limit: 3)
      #expect(part == WebhookBatch(tasks: [], upTo: 3))
      _ = try await node.record(WebhookTurn(claim, part) { _ in .delivered })
      #expect(try await node.new(claim, limit: 3) == WebhookBatch(tasks: [], upTo: 5))
      try await world.pool.script(
        """
        INSERT INTO webhook_delivery (app_no, webhook_no, feed_no, event_at, not_before)
        SELECT \(world.app.number.value), \(claim.webhook.value), i, now(), 'infinity'
        FROM generate_series(1, \(Limits.webhookWaiting)) i
        """)
      #expect(try await node.new(claim, limit: 3).upTo == 5)
      try await world.pool.script(
        """
        INSERT INTO webhook_delivery (app_no, webhook_no, feed_no, event_at, not_before)
        VALUES (\(world.app.number.value), \(claim.webhook.value), 1000000, now(), 'infinity')
        """)
      #expect(try await node.new(claim, limit: 3).upTo == nil)
    }
  }

  @Test("Switched on again, it gets what waited behind an event that was forgotten meanwhile, and rests when told to")
  func woken() async throws {
    try await World.with(installations: 0) { world in
      let id = try await world.webhook([.messageCreated])
      _ = try await world.send()
      _ = try await world.feed()
      let node = world.sender()
      let claim = try #require(try await node.claim())
      _ = try await node.record(
        WebhookTurn(claim: claim, results: [], upTo: nil, isGone: false, pauseMilliseconds: 60_000))
      try await node.release(claim)
      #expect(try await node.claim() == nil)
      try await world.pool.script(
        """
        INSERT INTO webhook_delivery (app_no, webhook_no, feed_no, subject, event_at, not_before)
        SELECT \(world.app.number.value), \(claim.webhook.value), i, '\(id.text)', now(), 'infinity'
        FROM generate_series(7, 8) i
        """)
      for isEnabled in [false, true] {
        var change = WebhookChange()
        change.isEnabled = isEnabled
        let changed = try await world.webhooks.change(
          environment: world.app.environment, id: id, change, call: .commandLine(.webhookChanged),
          deadline: .now + .seconds(20))
        #expect(changed != nil)
      }
      let waiting = "SELECT feed_no::text FROM webhook_delivery WHERE not_before <= now()"
      #expect(try await world.pool.texts(waiting) == ["7"])
    }
  }

  @Test("Events are forgotten after the retention, and what waited for them before")
  func retention() async throws {
    try await with(messages: 2) { world, _, _ in
      let node = world.sender()
      let claim = try #require(try await node.claim())
      let batch = try await node.new(claim, limit: 100)
      _ = try await node.record(WebhookTurn(claim, batch) { _ in .dead })
      let store = RetentionStore(pool: world.pool, owner: 1)
      let now = try await store.now()
      #expect(try await store.forgetWebhookDeliveries(before: Timestamp(microseconds: 0), limit: 10) == 0)
      let later = Timestamp(microseconds: now.microseconds + 1_000_000)
      #expect(try await store.forgetWebhookDeliveries(before: later, limit: 3) == 3)
      #expect(try await store.forgetWebhookDeliveries(before: later, limit: 3) == 1)
      #expect(try await store.forgetEvents(before: later, limit: 10) == 4)
      #expect(try await world.feed() == [])
    }
  }
}
