internal import JSON
internal import KitsCore
internal import KitsStore

/// The `records` of a request: each is read alone, so that one that is wrong doesn't hold back the others.
struct ActivityItems: Sendable {
  /// Nil for those that can't be read.
  let items: [ActivityReport.Record?]

  private static let types = Dictionary(uniqueKeysWithValues: ActivityType.allCases.map { ($0.name, $0) })

  init(_ body: JSONValue) throws(Problem) {
    let faults = FaultCollector()
    let elements = ObjectReader(body, into: faults).requiredArray("records", count: 1...Limits.eventsPerCall)
    if let problem = Problem(faults) { throw problem }
    items = (elements ?? []).map { Self.read($0.value) }
  }

  private static func read(_ value: JSONValue) -> ActivityReport.Record? {
    guard value.object != nil else { return nil }
    let faults = FaultCollector()
    let reader = ObjectReader(value, into: faults)
    let id = reader.requiredUUID("id")
    let type = reader.requiredChoice("type", types)
    let name = reader.requiredString("name", bytes: Limits.activityNameBytes)
    let properties = reader.object("properties", nullIsAbsent: true)
    let occurredAt = reader.requiredTimestamp("occurred_at")
    guard faults.isEmpty, let id, let type, let name, name.utf8.allSatisfy(isNameCharacter), let occurredAt else {
      return nil
    }
    let json = properties == nil ? Array("{}".utf8) : JSON.write(value.object?["properties"] ?? .null)
    guard json.count <= Limits.activityPropertiesBytes else { return nil }
    return ActivityReport.Record(
      id: id, type: type, name: name, properties: json, occurredAt: Timestamp(microseconds: occurredAt))
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
