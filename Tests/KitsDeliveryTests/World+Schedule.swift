import FoundationEssentials
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsDelivery

extension World {
  func message(
    _ target: MessageTarget = .everyone, id: MessageID = MessageID(UUID()), ttl: Int32 = 3_600,
    throttle: Int32? = nil, start: ScheduledStart? = nil, key: [UInt8]? = nil, title: String = "a"
  ) -> NewMessage {
    NewMessage(
      id: id, app: app.number, createdBy: ServerKeyID(UUID()), target: target,
      contentJSON: Array(#"{"title":"\#(title)"}"#.utf8),
      payloads: RenderedPayloads(base: Array(#"{"aps":{}}"#.utf8), localized: []), kind: .alert, priority: .high,
      ttlSeconds: ttl, collapseID: nil, onUnknown: .resend,
      idempotency: key.map { NewMessage.Idempotency(keyHash: $0, bodyHash: [1]) }, throttlePerMinute: throttle,
      start: start)
  }

  /// Keeps a message for later. Its body is what `compose` gives back.
  @discardableResult
  func schedule(
    _ schedule: MessageSchedule?, _ target: MessageTarget = .everyone, throttle: Int32? = nil,
    body: String = #"{"target":{"everyone":true},"title":"a"}"#, key: [UInt8]? = nil
  ) async throws -> MessageID {
    let message = message(target, throttle: throttle, key: key)
    let created = try await messages.schedules.schedule(
      NewSchedule(message: message, body: Array(body.utf8), schedule: schedule), deadline: .now + .seconds(20))
    return try #require(created).id
  }

  /// Makes messages of due ones as the API would, without reading a body.
  func compose(
    _ target: MessageTarget = .everyone, throttle: Int32? = nil
  ) -> @Sendable (DueMessage) async throws -> NewMessage {
    { due in self.message(target, id: due.id, throttle: throttle, start: due.start) }
  }

  func open(_ id: MessageID) async throws -> OpenMessage {
    OpenMessage(app: app.number, message: try await record(id).number)
  }

  /// Lets the time of all scheduled messages come.
  func makeDue() async throws {
    try await pool.script(
      "UPDATE message SET due_at = now() - interval '1 second', send_at = now() - interval '1 second' WHERE state = 6")
  }

  func another(owner: Int64) -> DeliveryStore { DeliveryStore(pool: pool, owner: owner, leaseSeconds: 60) }

  static var now: Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970) * 1_000_000) }
}
