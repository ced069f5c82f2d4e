import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("Hostile text")
struct NaughtyStringTests {
  @Test("each of 515 naughty strings comes out as it went in, or is refused for its control characters")
  func roundTrip() throws {
    let strings = try #require(VectorFile.json("blns/blns.json").array).compactMap(\.string)
    #expect(strings.count == 515)
    var refused = 0
    for text in strings where !text.isEmpty {
      let isPlain = text.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control || ["\t", "\n", "\r"].contains($0)
      }
      let body = JSONObject([
        ("target", .object(JSONObject([("everyone", .bool(true))]))), ("title", .string(isPlain ? text : "t")),
        ("body", .string(text)), ("data", .object(JSONObject([("v", .string(text)), (text, .integer(1))]))),
      ])
      guard isPlain else {
        let error = #expect(throws: KitsError.self) { try MessageDraft(body) }
        #expect(error?.fields.map(\.place) == [.pointer("/body")])
        refused += 1
        continue
      }
      let sent = try JSON.parse(JSON.write(.object(body)))
      let draft = try MessageDraft(try #require(sent.object))
      let payload = try JSON.parse(
        PayloadRenderer(draft.content, id: MessageHandlers.exampleID).render().base)
      let alert = payload.object?["aps"]?.object?["alert"]?.object
      #expect(alert?["title"] == .string(text) && alert?["body"] == .string(text))
      #expect(payload.object?["data"] == body["data"])
      #expect(try JSON.parse(draft.content.json).object?["title"] == .string(text))
    }
    #expect(refused == 6)
  }
}
