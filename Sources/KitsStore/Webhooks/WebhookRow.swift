package import KitsCore
import Postgres

/// A secret of an endpoint as it lies in the database.
package struct SealedWebhookSecret: Sendable, Equatable {
  package let sealedUnder: String
  package let sealed: [UInt8]

  package init(sealedUnder: String, sealed: [UInt8]) {
    self.sealedUnder = sealedUnder
    self.sealed = sealed
  }

  /// A secret that was moved to another endpoint can't be opened.
  package static func sealingContext(_ webhook: WebhookID) -> String { "webhook \(webhook.text)" }
}

/// The columns of an endpoint in the order in which `decode` reads them; queries name the row `w`. Never the secrets.
enum WebhookRow {
  static let columns = """
    w.webhook_id, w.url, w.types, w.description, w.enabled, (SELECT a.app_id FROM app a WHERE a.app_no = w.for_app),
    w.disabled_reason, CASE WHEN w.previous_until > now() THEN w.previous_until END, w.created_at, w.updated_at,
    (SELECT count(*) FROM webhook_delivery d WHERE d.webhook_no = w.webhook_no AND d.state = 1),
    (SELECT count(*) FROM webhook_delivery d WHERE d.webhook_no = w.webhook_no AND d.state = 2),
    w.delivered_at, w.failed_at, w.failure
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Webhook {
    let id = WebhookID(try row.uuid())
    let definition = WebhookDefinition(
      url: try row.string(), types: try types(row.int16Array()), description: try row.stringOrNil(),
      isEnabled: try row.bool(), app: try row.uuidOrNil().map(AppID.init))
    return Webhook(
      id: id, definition: definition,
      disabledReason: try row.int16OrNil().flatMap(Webhook.DisabledReason.init(rawValue:)),
      previousSecretUntil: try row.timestampOrNil().map(Timestamp.init(microseconds:)),
      createdAt: Timestamp(microseconds: try row.timestamp()), updatedAt: Timestamp(microseconds: try row.timestamp()),
      standing: Webhook.Standing(
        pending: try row.int64(), dead: try row.int64(),
        deliveredAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)),
        failedAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)), failure: try row.stringOrNil()))
  }

  static func types(_ numbers: [Int16]) throws(PostgresError) -> [EventType] {
    var types: [EventType] = []
    for number in numbers {
      guard let type = EventType(rawValue: number) else { throw .decode("webhook: unknown event type \(number)") }
      types.append(type)
    }
    return types
  }
}
