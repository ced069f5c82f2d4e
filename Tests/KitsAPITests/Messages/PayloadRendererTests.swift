import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("Payloads")
struct PayloadRendererTests {
  private static let id = "01936b2f-0d5a-7b3c-8e61-5a9d4c7f2b18"
  /// What stands in every payload behind `aps` and `data`.
  private static let ours = #""kits_version":1,"kits_message_id":"\#(id)""#

  private func render(_ fields: String) throws -> RenderedPayloads {
    let id = try #require(MessageID(parsing: Self.id))
    return try PayloadRenderer(DraftProbe.content(fields), id: id).render()
  }

  private func text(_ fields: String) throws -> String { String(decoding: try render(fields).base, as: UTF8.self) }

  @Test(
    "each field becomes exactly these bytes of aps",
    arguments: [
      (#""title":"T""#, #"{"alert":{"title":"T"}}"#), (#""body":"B""#, #"{"alert":{"body":"B"}}"#),
      (#""body":"B","subtitle":"S","title":"T""#, #"{"alert":{"title":"T","subtitle":"S","body":"B"}}"#),
      (#""body":"a\"\\\/\n\té😀""#, #"{"alert":{"body":"a\"\\/\n\té😀"}}"#),
      (#""ios_badge":0"#, #"{"badge":0}"#), (#""ios_badge":2147483647"#, #"{"badge":2147483647}"#),
      (#""title":"T","ios_sound":"ding.caf""#, #"{"alert":{"title":"T"},"sound":"ding.caf"}"#),
      (#""title":"T","ios_sound":{}"#, #"{"alert":{"title":"T"},"sound":"default"}"#),
      (#""title":"T","ios_sound":{"name":"a.caf"}"#, #"{"alert":{"title":"T"},"sound":"a.caf"}"#),
      (
        #""title":"T","ios_sound":{"volume":0.5,"critical":true,"name":"a.caf"}"#,
        #"{"alert":{"title":"T"},"sound":{"critical":1,"name":"a.caf","volume":0.5}}"#
      ),
      (#""title":"T","ios_sound":{"volume":1}"#, #"{"alert":{"title":"T"},"sound":{"name":"default","volume":1}}"#),
      (#""title":"T","thread_id":"t""#, #"{"alert":{"title":"T"},"thread-id":"t"}"#),
      (#""title":"T","ios_category":"ORDER""#, #"{"alert":{"title":"T"},"category":"ORDER"}"#),
      (
        #""title":"T","ios_interruption_level":"time_sensitive""#,
        #"{"alert":{"title":"T"},"interruption-level":"time-sensitive"}"#
      ),
      (#""title":"T","ios_relevance_score":0"#, #"{"alert":{"title":"T"},"relevance-score":0}"#),
      (#""title":"T","ios_relevance_score":0.1"#, #"{"alert":{"title":"T"},"relevance-score":0.1}"#),
      (#""title":"T","mutable_content":true"#, #"{"alert":{"title":"T"},"mutable-content":1}"#),
      (#""title":"T","mutable_content":false,"content_available":false"#, #"{"alert":{"title":"T"}}"#),
      (#""content_available":true"#, #"{"content-available":1}"#),
      (#""title":"T","collapse_id":"c","priority":"low","ttl_seconds":0"#, #"{"alert":{"title":"T"}}"#),
    ])
  func eachField(fields: String, aps: String) throws {
    #expect(try text(fields) == #"{"aps":\#(aps),\#(Self.ours)}"#)
  }

  @Test("K15: an image sets mutable-content and travels beside aps")
  func image() throws {
    let expected = """
      {"aps":{"alert":{"title":"T"},"mutable-content":1},\(Self.ours),"kits_image_url":"https://cdn.example.com/a.jpg"}
      """
    #expect(try text(#""title":"T","image_url":"https://cdn.example.com/a.jpg""#) == expected)
  }

  @Test("K16: a category is named and no buttons are sent")
  func category() throws {
    let payload = try JSON.parse(render(#""title":"T","ios_category":"ORDER""#).base)
    #expect(payload.object?["aps"]?.object?["category"] == .string("ORDER"))
    #expect(payload.object?.keys == ["aps", "kits_version", "kits_message_id"])
  }

  @Test("all fields together have one order")
  func allFields() throws {
    let fields = """
      "url":"myapp://orders/1","image_url":"https://cdn.example.com/a.jpg","data":{"z":1,"a":[1.5,null,"x"]},\
      "thread_id":"t","ios_relevance_score":0.25,"ios_interruption_level":"critical",\
      "ios_sound":{"critical":true,"volume":0.8},"ios_category":"C","ios_badge":3,"body":"B","subtitle":"S",\
      "title":"T","mutable_content":true,"collapse_id":"c","priority":"normal","ttl_seconds":60
      """
    let expected = """
      {"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3,\
      "sound":{"critical":1,"name":"default","volume":0.8},"thread-id":"t","category":"C",\
      "interruption-level":"critical","relevance-score":0.25,"mutable-content":1},\
      "data":{"z":1,"a":[1.5,null,"x"]},\(Self.ours),\
      "kits_image_url":"https://cdn.example.com/a.jpg","kits_url":"myapp://orders/1"}
      """
    #expect(try text(fields) == expected)
  }

  @Test("a silent message is a background push of normal priority")
  func silent() throws {
    let content = try DraftProbe.content(#""content_available":true,"data":{"refresh":"inbox"}"#)
    #expect(content.kind == .background && content.priority == .normal)
    #expect(
      try text(#""content_available":true,"data":{"refresh":"inbox"}"#)
        == #"{"aps":{"content-available":1},"data":{"refresh":"inbox"},\#(Self.ours)}"#)
    #expect(try DraftProbe.content(#""title":"x""#).kind == .alert)
  }

  @Test(
    "numbers of data keep their value and kind",
    arguments: [
      "0", "-1", "9223372036854775807", "-9223372036854775808", "1.0", "0.1", "1e+100", "-0.0", "1.5e-07", "true",
      "null",
      "[]", "{}", "[[],{\"a\":{}}]",
    ])
  func data(value: String) throws {
    #expect(
      try text(#""title":"T","data":{"v":\#(value)}"#)
        == #"{"aps":{"alert":{"title":"T"}},"data":{"v":\#(value)},\#(Self.ours)}"#)
  }

  @Test("a localization replaces the texts it has and keeps the others")
  func localizations() throws {
    let payloads = try render(
      #""title":"T","subtitle":"S","body":"B","localizations":{"de-AT":{"title":"t"},"FR":{"body":"b","subtitle":"s"}}"#
    )
    #expect(payloads.localized.map(\.language) == ["de-at", "fr"])
    #expect(
      payloads.localized.map { String(decoding: $0.payload, as: UTF8.self) } == [
        #"{"aps":{"alert":{"title":"t","subtitle":"S","body":"B"}},\#(Self.ours)}"#,
        #"{"aps":{"alert":{"title":"T","subtitle":"s","body":"b"}},\#(Self.ours)}"#,
      ])
    let austrian = try #require(LanguageTag(parsing: "de_AT"))
    #expect(payloads.best(for: austrian) == payloads.localized[0].payload)
  }

  @Test("4,096 bytes fit and 4,097 don't, counted in bytes of UTF-8", arguments: ["a", "é", "€", "😀"])
  func size(character: String) throws {
    let empty = try render(#""title":"","body":"b""#.replacing("\"\"", with: "\"t\"")).base.count - 2
    let room = Limits.apnsPayloadBytes - empty
    let width = character.utf8.count
    // Two texts, because one may have no more than 4,000 bytes.
    let first = String(repeating: character, count: 1_000 / width)
    let second = room - first.utf8.count
    let body = String(repeating: character, count: second / width) + String(repeating: "a", count: second % width)
    let fitting = try render(#""title":"\#(first)","body":"\#(body)""#)
    #expect(fitting.base.count == 4_096)
    let error = #expect(throws: KitsError.self) { try render(#""title":"\#(first)","body":"\#(body)a""#) }
    #expect(error?.code == .payloadTooLarge)
    #expect(
      error?.fields == [
        KitsError.FieldFault(
          .pointer(""), .tooLarge, "The payload has 4097 bytes; the push service takes 4096.")
      ])
  }

  @Test("every text that is too large is named, and only those")
  func sizes() throws {
    let large = String(repeating: "a", count: 4_000)
    let fields =
      #""title":"T","localizations":{"de":{"body":"\#(large)"},"fr":{"body":"b"},"pt-BR":{"body":"\#(large)"}}"#
    let error = #expect(throws: KitsError.self) { try render(fields) }
    #expect(error?.fields.map(\.place) == [.pointer("/localizations/de"), .pointer("/localizations/pt-BR")])
  }

  @Test("data of megabytes is measured without a copy for every text")
  func hugeData() throws {
    let large = String(repeating: "a", count: 1_000_000)
    let texts = (0..<100).map { "\"en-x-a\($0)\":{\"title\":\"t\"}" }.joined(separator: ",")
    let fields = "\"title\":\"t\",\"data\":{\"v\":\"\(large)\"},\"localizations\":{\(texts)}"
    let error = #expect(throws: KitsError.self) { try render(fields) }
    #expect(error?.fields.count == 101)
    let size = try render(#""title":"t","data":{"v":""}"#).base.count + 1_000_000
    #expect(error?.fields.first?.detail == "The payload has \(size) bytes; the push service takes 4096.")
  }
}
