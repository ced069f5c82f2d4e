internal import JSON
internal import KitsCore

/// The bodies of webhook routes, validated: every wrong field is named at once.
struct WebhookBody: Sendable {
  /// Development only: http and private addresses.
  let allowsPrivate: Bool

  /// Of `POST /v1/webhooks`.
  func create(_ body: JSONValue) throws(Problem) -> (definition: WebhookDefinition, secret: WebhookSecret?) {
    try read(body) { reader in
      let url = reader.requiredMember("url").flatMap(url)
      let types = reader.requiredMember("event_types").flatMap(types)
      let description = reader.line("description", bytes: Limits.webhookDescriptionBytes)
      let isEnabled = reader.bool("enabled", nullIsAbsent: true) ?? true
      let app = reader.uuid("app_id", nullIsAbsent: true).map(AppID.init)
      let secret = reader.given("secret").flatMap(secret)
      guard let url, let types else { return nil }
      return (
        WebhookDefinition(url: url, types: types, description: description, isEnabled: isEnabled, app: app), secret
      )
    }
  }

  /// Of `PATCH /v1/webhooks/{id}`.
  func change(_ body: JSONValue) throws(Problem) -> WebhookChange {
    try read(body) { reader in
      var change = WebhookChange()
      change.url = reader.member("url").flatMap(url)
      change.types = reader.member("event_types").flatMap(types)
      switch reader.field("description", { $0.line(bytes: Limits.webhookDescriptionBytes) }) {
      case .absent: break
      case .null: change.description = .cleared
      case .value(let text): change.description = .set(text)
      }
      change.isEnabled = reader.bool("enabled")
      return change
    }
  }

  /// Of `POST /v1/webhooks/{id}/secret/rotate`; nil: make one.
  func rotation(_ body: JSONValue) throws(Problem) -> WebhookSecret? {
    let wish: WebhookSecret?? = try read(body) { reader in .some(reader.given("secret").flatMap(secret)) }
    return wish ?? nil
  }

  /// Of `POST /v1/webhooks/{id}/redeliver`: which events; none means all that were given up.
  func redelivery(_ body: JSONValue) throws(Problem) -> [EventID] {
    try read(body) { reader in
      let events = reader.array("event_ids", count: Limits.redeliveries, nullIsAbsent: true)?
        .compactMap { $0.uuid().map(EventID.init) }
      let isAll = reader.bool("all", nullIsAbsent: true) ?? false
      switch (events, isAll) {
      case (nil, false): reader.refuse("event_ids", .missing, "There must be event_ids, or all must be true.")
      case (_?, true): reader.refuse("all", .conflict, "There must be event_ids or all, not both.")
      default: break
      }
      return events ?? []
    }
  }

  private func url(_ reader: ElementReader) -> String? {
    guard let text = reader.string(bytes: Limits.webhookURLBytes) else { return nil }
    if let fault = WebhookURL.fault(text, allowsPrivate: allowsPrivate) { return reader.refuse(.badFormat, fault) }
    return text
  }

  private func types(_ reader: ElementReader) -> [EventType]? {
    guard let elements = reader.array(count: 1...EventType.allCases.count) else { return nil }
    var types: Set<EventType> = []
    for element in elements {
      guard let type = element.choice(EventType.byName) else { continue }
      if !types.insert(type).inserted { element.refuse(.duplicate, "It is there more than once.") }
    }
    return types.sorted { $0.rawValue < $1.rawValue }
  }

  private func secret(_ reader: ElementReader) -> WebhookSecret? {
    guard let text = reader.string(bytes: 1...Limits.urlBytes.upperBound) else { return nil }
    let range = Limits.webhookSecretBytes
    return WebhookSecret(text)
      ?? reader.refuse(
        .badFormat, "It must be whsec_ and \(range.lowerBound) to \(range.upperBound) bytes in base64.")
  }

  private func read<Value>(_ body: JSONValue, _ read: (ObjectReader) -> Value?) throws(Problem) -> Value {
    let faults = FaultCollector()
    let reader = ObjectReader(body, into: faults)
    let value = read(reader)
    reader.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
    guard let value else { throw .internalFault("A body was neither read nor refused.") }
    return value
  }
}
