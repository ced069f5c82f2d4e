internal import JSON
internal import KitsCore

/// How webhooks and events are answered.
enum WebhookJSON {
  /// `Webhook` of the contract; with the secret only for who just made it.
  static func webhook(_ webhook: Webhook, secret: WebhookSecret? = nil) -> JSONWriter {
    var json = JSONWriter()
    write(webhook, secret: secret, to: &json)
    return json
  }

  static func page(_ webhooks: [Webhook]) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.key("data")
    json.beginArray()
    for webhook in webhooks { write(webhook, secret: nil, to: &json) }
    json.endArray()
    json.endObject()
    return json
  }

  private static func write(_ webhook: Webhook, secret: WebhookSecret?, to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", webhook.id)
    json.member("app_id", webhook.definition.app?.uuid)
    json.member("url", webhook.definition.url)
    json.key("event_types")
    json.beginArray()
    for type in webhook.definition.types { json.value(type.name) }
    json.endArray()
    json.member("description", webhook.definition.description)
    json.member("enabled", webhook.definition.isEnabled)
    json.member("disabled_reason", webhook.disabledReason?.name)
    if let secret { json.member("secret", secret.text) }
    json.member("previous_secret_valid_until", webhook.previousSecretUntil)
    json.member("created_at", webhook.createdAt)
    json.member("updated_at", webhook.updatedAt)
    json.key("deliveries")
    json.beginObject()
    json.member("pending", Int64?.some(webhook.standing.pending))
    json.member("dead", Int64?.some(webhook.standing.dead))
    json.member("last_success_at", webhook.standing.deliveredAt)
    json.member("last_failure_at", webhook.standing.failedAt)
    json.member("last_failure", webhook.standing.failure)
    json.endObject()
    json.endObject()
  }

  static func rotated(_ secret: WebhookSecret, previousUntil: Timestamp) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("secret", secret.text)
    json.member("previous_secret_valid_until", previousUntil)
    json.endObject()
    return json
  }

  static func redelivered(_ count: Int64) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("redelivering", Int64?.some(count))
    json.endObject()
    return json
  }

  /// A page of `WebhookDelivery`.
  static func page(_ deliveries: [WebhookDelivery], nextCursor: String?) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.key("data")
    json.beginArray()
    for delivery in deliveries {
      json.beginObject()
      json.key("event")
      write(delivery.event, to: &json)
      json.member("state", delivery.state.name)
      json.member("attempts", Int(delivery.attempts))
      json.member("next_attempt_at", delivery.nextAttemptAt)
      json.member("first_attempt_at", delivery.firstAttemptAt)
      json.member("last_attempt_at", delivery.lastAttemptAt)
      json.member("last_status", delivery.lastStatus == 0 ? nil : Int64(delivery.lastStatus))
      json.member("last_problem", delivery.lastProblem)
      json.endObject()
    }
    json.endArray()
    json.member("next_cursor", nextCursor)
    json.endObject()
    return json
  }

  /// A page of the feed. The cursor is always there: behind it is what comes next.
  static func feed(_ events: [FeedEvent], cursor: String, hasMore: Bool) -> JSONWriter {
    var json = JSONWriter(capacity: 256 + events.count * 400)
    json.beginObject()
    json.key("data")
    json.beginArray()
    for event in events { write(event, to: &json) }
    json.endArray()
    json.member("cursor", cursor)
    json.member("has_more", hasMore)
    json.endObject()
    return json
  }

  /// As an endpoint gets it, with the id that it gets in a header.
  private static func write(_ event: FeedEvent, to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", event.id)
    json.member("type", event.type.name)
    json.member("timestamp", event.at)
    json.key("data")
    json.raw(event.data)
    json.endObject()
  }
}
