internal import JSON
internal import KitsCore
internal import KitsStore

/// How messages are answered.
enum MessageJSON {
  /// A message as the call that created it saw it; a replay says the same, whatever came of it since.
  static func created(_ message: CreatedMessage, app: AppID, title: String?) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    summary(
      Summary(
        id: message.id, app: app, state: MessageState.planning.name, isPlanned: false, matched: nil,
        title: title,
        times: MessageRecord.Times(
          createdAt: message.createdAt, expiresAt: message.expiresAt, startedAt: nil, completedAt: nil,
          canceledAt: nil)), to: &json)
    unmatched(message.unmatched, to: &json)
    json.endObject()
    return json
  }

  static func page(_ messages: [MessageRecord], nextCursor: String?) throws(Problem) -> JSONWriter {
    var json = JSONWriter(capacity: 512 * (messages.count + 1))
    json.beginObject()
    json.key("data")
    json.beginArray()
    for message in messages {
      json.beginObject()
      summary(Summary(message, title: try title(of: message)), to: &json)
      json.endObject()
    }
    json.endArray()
    json.member("next_cursor", nextCursor)
    json.endObject()
    return json
  }

  static func message(
    _ message: MessageRecord, _ outcomes: (ledger: Ledger, reasons: [Ledger.ReasonCount])
  ) throws(Problem) -> JSONWriter {
    var json = JSONWriter(capacity: 1_024 + (message.contentJSON?.count ?? 0))
    json.beginObject()
    summary(Summary(message, title: try title(of: message)), to: &json)
    json.key("content")
    if let content = message.contentJSON { json.raw(content) } else { json.null() }
    target(message.target, to: &json)
    AudienceGuardsJSON.write(message.guards, to: &json)
    json.key("refusal")
    if let refusal = message.refusal { AudienceGuardsJSON.write(refusal, to: &json) } else { json.null() }
    json.member("verified_only", message.isVerifiedOnly)
    json.member("on_unknown", message.onUnknown.name)
    json.key("pause")
    if let pause = message.pause { AppPauseJSON.write(pause, to: &json) } else { json.null() }
    unmatched(message.unmatched, to: &json)
    LedgerJSON.write(outcomes.ledger, to: &json)
    LedgerJSON.write(outcomes.reasons, to: &json)
    json.endObject()
    return json
  }

  static func unmatched(_ unmatched: MessageRecord.Unmatched, to json: inout JSONWriter) {
    json.key("unmatched")
    json.beginObject()
    json.member("count", Int64(unmatched.count))
    json.key("sample")
    json.beginArray()
    for id in unmatched.sample { json.value(id) }
    json.endArray()
    json.endObject()
  }

  fileprivate struct Summary {
    let id: MessageID
    let app: AppID
    let state: String
    let isPlanned: Bool
    let matched: Int64?
    let title: String?
    let times: MessageRecord.Times
  }

  private static func summary(_ message: Summary, to json: inout JSONWriter) {
    json.member("id", message.id)
    json.member("app_id", message.app)
    json.member("state", message.state)
    json.member("planned", message.isPlanned)
    json.member("matched", message.matched)
    json.member("title", message.title)
    json.member("created_at", message.times.createdAt)
    json.key("send_at")
    json.null()
    json.member("expires_at", message.times.expiresAt)
    json.member("started_at", message.times.startedAt)
    json.member("completed_at", message.times.completedAt)
    json.member("canceled_at", message.times.canceledAt)
  }

  private static func target(_ target: MessageRecord.Target, to json: inout JSONWriter) {
    json.key("target")
    json.beginObject()
    json.member("kind", target.kind.name)
    json.member("requested", target.requested.map(Int64.init))
    list("segment_ids", target.segments, &json)
    list("exclude_segment_ids", target.excluded, &json)
    json.key("filter")
    if let filter = target.filterJSON { json.raw(filter) } else { json.null() }
    json.endObject()
  }

  private static func list(_ name: String, _ ids: [SegmentID], _ json: inout JSONWriter) {
    json.key(name)
    json.beginArray()
    for id in ids { json.value(id.text) }
    json.endArray()
  }

  private static func title(of message: MessageRecord) throws(Problem) -> String? {
    guard let content = message.contentJSON else { return nil }
    do {
      return try JSON.parse(content).object?["title"]?.string
    } catch {
      throw .internalFault("The stored content of message \(message.id) is not JSON.")
    }
  }
}

extension MessageJSON.Summary {
  fileprivate init(_ message: MessageRecord, title: String?) {
    self.init(
      id: message.id, app: message.appID, state: message.pause == nil ? message.state.name : "paused",
      isPlanned: message.isPlanned, matched: message.matched, title: title, times: message.times)
  }
}
