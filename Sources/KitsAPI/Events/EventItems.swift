internal import JSON
internal import KitsCore
internal import KitsStore

/// The `events` of a request: each is read alone, so that one that is wrong doesn't hold back the others.
struct EventItems: Sendable {
  enum Item: Sendable {
    case event(EventReport.Event)
    case refused(KitsError.Code)
  }

  let items: [Item]

  /// The only version there is, written as an integer: `1.0` and `"1"` are from somebody who made it up.
  static let version: Int64 = 1

  private static let types = Dictionary(uniqueKeysWithValues: NotificationEventType.allCases.map { ($0.name, $0) })

  init(_ body: JSONValue, of token: DeviceToken, _ proof: DeliveryProof) throws(Problem) {
    let faults = FaultCollector()
    let elements = ObjectReader(body, into: faults).requiredArray("events", count: 1...Limits.eventsPerCall)
    if let problem = Problem(faults) { throw problem }
    items = (elements ?? []).map { Self.read($0.value, of: token, proof) }
  }

  var events: [EventReport.Event] {
    items.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  private static func read(_ value: JSONValue, of token: DeviceToken, _ proof: DeliveryProof) -> Item {
    guard let object = value.object else { return .refused(.recordInvalid) }
    guard object["version"]?.integer == version else { return .refused(.versionUnsupported) }
    guard let text = object["delivery_id"]?.string, let id = proof.delivery(text), id.address.app == token.app,
      id.installation == token.installation
    else { return .refused(.deliveryIDInvalid) }
    let reader = ObjectReader(value, into: FaultCollector())
    guard let type = reader.requiredChoice("type", types), let occurredAt = reader.requiredTimestamp("occurred_at")
    else { return .refused(.recordInvalid) }
    return .event(
      EventReport.Event(
        message: id.address.message, binding: id.binding, type: type,
        occurredAt: Timestamp(microseconds: occurredAt)))
  }
}
