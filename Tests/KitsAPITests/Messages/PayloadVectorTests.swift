import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("Payloads that others publish")
struct PayloadVectorTests {
  /// The aps objects of the vectors, of which some need what messages don't have (loc-keys, Live Activities, …).
  private static func published() throws -> [JSONObject] {
    let file = try VectorFile.json("apns-payloads/payloads.json")
    let apple = file.object?["apple_published"]?.array?.compactMap { $0.object?["payload"]?.object } ?? []
    let goPayloads = file.object?["sideshow_apns2_builder_tests"]?.array?.compactMap(\.object) ?? []
    let swiftPayloads = file.object?["apnswift_tests"]?.array?.compactMap { $0.object?["payload"]?.object } ?? []
    return (apple + goPayloads + swiftPayloads).compactMap { $0["aps"]?.object }
  }

  @Test("what messages can express is rendered to the same aps object")
  func sameObjects() throws {
    var rendered = 0
    for aps in try Self.published() {
      guard let fields = Self.fields(for: aps) else { continue }
      let body = JSONObject([("target", .object(["everyone": .bool(true)]))] + fields)
      let content = try MessageDraft(body).content
      let payload = try JSON.parse(PayloadRenderer(content, id: MessageHandlers.exampleID).render().base)
      #expect(payload.object?["aps"] == .object(Self.normalized(aps)))
      rendered += 1
    }
    #expect(rendered == 30)
  }

  /// The fields of a message that says this; nil when none can. A text is added where only an addition is published.
  private static func fields(for aps: JSONObject) -> [(String, JSONValue)]? {
    var fields: [(String, JSONValue)] = []
    for (key, value) in normalized(aps).members {
      switch (key, value) {
      case ("alert", .object(let alert)):
        guard alert.keys.allSatisfy({ ["title", "subtitle", "body"].contains($0) }) else { return nil }
        fields += alert.members.map { ($0.key, $0.value) }
      case ("sound", .object(let sound)):
        fields.append(
          (
            "ios_sound",
            .object(JSONObject(sound.members.map { ($0.key, $0.key == "critical" ? .bool(true) : $0.value) }))
          ))
      case ("content-available", _), ("mutable-content", _):
        fields.append((key == "content-available" ? "content_available" : "mutable_content", .bool(true)))
      default:
        guard let name = names[key] else { return nil }
        fields.append((name, value))
      }
    }
    return fields
  }

  private static let names = [
    "badge": "ios_badge", "sound": "ios_sound", "thread-id": "thread_id", "category": "ios_category",
    "interruption-level": "ios_interruption_level", "relevance-score": "ios_relevance_score",
  ]

  /// An alert that is a string means its body; what needs a text gets one.
  private static func normalized(_ aps: JSONObject) -> JSONObject {
    var aps = aps
    if let text = aps["alert"]?.string { aps.set("alert", .object(["body": .string(text)])) }
    if case .object(var alert)? = aps["alert"], alert.keys == ["subtitle"] {
      alert.set("body", .string("text"))
      aps.set("alert", .object(alert))
    }
    let needsText = aps["alert"] == nil && aps["badge"] == nil && aps["content-available"] == nil
    if needsText { aps.set("alert", .object(["body": .string("text")])) }
    return aps
  }
}
