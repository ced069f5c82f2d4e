internal import JSON
internal import KitsCore
internal import KitsStore

/// How it is answered why an installation got a message, or didn't.
enum ExplanationJSON {
  static func write(
    _ story: DeliveryExplanation, message: MessageID, _ installation: Installation, readAt: Timestamp
  ) -> JSONWriter {
    var json = JSONWriter(capacity: 1_536)
    json.beginObject()
    json.member("message_id", message)
    json.member("installation_id", installation.id)
    json.member("read_at", readAt)
    json.member("reach", story.isForgotten ? "forgotten" : "kept")
    json.member("planned", story.isPlanned)
    json.key("targeted")
    if let isTargeted = story.isTargeted { json.value(isTargeted) } else { json.null() }
    json.key("delivery")
    if let delivery = story.delivery {
      write(delivery, now: installation.binding.number, to: &json)
    } else {
      json.null()
    }
    json.key("checks")
    json.beginArray()
    for check in story.checks { write(check, to: &json) }
    json.endArray()
    json.key("installation")
    json.state(of: installation)
    json.endObject()
    return json
  }

  private static func write(_ delivery: DeliveryDetail, now binding: Int64, to json: inout JSONWriter) {
    json.beginObject()
    json.member("outcome", delivery.standing.outcome.name)
    json.member("reason", delivery.standing.reason)
    json.member("attempts", Int64(delivery.standing.attempts))
    json.member("resent", delivery.standing.isResent)
    json.key("push_service")
    if let answer = delivery.answer {
      json.beginObject()
      json.member("status", answer.status.map(Int64.init))
      json.member("reason", answer.reason)
      json.endObject()
    } else {
      json.null()
    }
    json.member("next_attempt_at", delivery.nextAttemptAt)
    json.key("binding")
    if let planned = delivery.plannedBinding {
      json.beginObject()
      json.member("number", planned)
      json.member("is_current", planned == binding)
      json.endObject()
    } else {
      json.null()
    }
    json.key("chunk")
    json.beginObject()
    json.member("first_outcome_at", delivery.chunkTimes.first)
    json.member("last_outcome_at", delivery.chunkTimes.last)
    json.endObject()
    json.confirmation("received", delivery.received)
    json.confirmation("clicked", delivery.clicked)
    json.endObject()
  }

  private static func write(_ check: TargetCheck, to json: inout JSONWriter) {
    json.beginObject()
    json.member("check", check.kind.rawValue)
    json.key("passes")
    if let passes = check.passes { json.value(passes) } else { json.null() }
    json.key("clauses")
    json.beginArray()
    for clause in check.clauses {
      json.beginObject()
      json.member("pointer", clause.pointer)
      json.member("matches", clause.matches)
      json.key("filter")
      FilterWriter.write(clause.filter, to: &json)
      json.endObject()
    }
    json.endArray()
    json.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func confirmation(_ name: String, _ confirmation: DeliveryDetail.Confirmation?) {
    key(name)
    guard let confirmation else { return null() }
    beginObject()
    member("received_at", confirmation.receivedAt)
    member("occurred_at", confirmation.occurredAt)
    member("source", confirmation.source.name)
    endObject()
  }

  /// What decides whether it can be sent to, as it is now. Who the user is belongs to another scope.
  fileprivate mutating func state(of installation: Installation) {
    let token = installation.token
    beginObject()
    member("platform", installation.platform.name)
    member("reachable", installation.isReachable)
    key("push_token")
    beginObject()
    member("state", token.state.name)
    member("moved", token.text != nil && token.state == .active && !installation.ownsToken)
    member("registered_at", token.registeredAt)
    endObject()
    member("permission", installation.permission.name)
    member("push_preference", installation.pushPreference)
    key("binding")
    beginObject()
    member("id", installation.binding.id)
    member("number", installation.binding.number)
    member("identified", installation.binding.externalID != nil)
    member("verified", installation.binding.verified)
    member("changed_at", installation.binding.changedAt)
    endObject()
    endObject()
  }
}
