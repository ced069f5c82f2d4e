import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("Message fields")
struct MessageDraftTests {
  private static func long(_ count: Int) -> String { String(repeating: "a", count: count) }

  @Test(
    "every wrong field is refused with its pointer and kind",
    arguments: [
      // Texts
      (#""title":1"#, "/title WRONG_TYPE"), (#""title":"""#, "/title TOO_SHORT"),
      (#""title":"\#(long(4_001))""#, "/title TOO_LONG"), (#""title":"a\u0001b""#, "/title BAD_FORMAT"),
      (#""title":"a\u007f""#, "/title BAD_FORMAT"), (#""title":["a"]"#, "/title WRONG_TYPE"),
      (#""title":{}"#, "/title WRONG_TYPE"), (#""title":true"#, "/title WRONG_TYPE"),
      (#""title":"a","subtitle":2.5"#, "/subtitle WRONG_TYPE"),
      (#""title":"a","subtitle":"\#(long(4_001))""#, "/subtitle TOO_LONG"),
      (#""title":"a","subtitle":"""#, "/subtitle TOO_SHORT"),
      (#""title":"a","subtitle":"\u001b""#, "/subtitle BAD_FORMAT"),
      (#""body":false"#, "/body WRONG_TYPE"), (#""body":"\#(long(4_001))""#, "/body TOO_LONG"),
      (#""body":"""#, "/body TOO_SHORT"), (#""body":"\b""#, "/body BAD_FORMAT"),
      // Localizations
      (#""title":"a","localizations":[]"#, "/localizations WRONG_TYPE"),
      (#""title":"a","localizations":"de""#, "/localizations WRONG_TYPE"),
      (#""title":"a","localizations":{"de":1}"#, "/localizations/de WRONG_TYPE"),
      (#""title":"a","localizations":{"de":null}"#, "/localizations/de NULL_NOT_ALLOWED"),
      (#""title":"a","localizations":{"de":{}}"#, "/localizations/de TOO_FEW"),
      (#""title":"a","localizations":{"de":{"title":null}}"#, "/localizations/de TOO_FEW"),
      (#""title":"a","localizations":{"de":{"title":7}}"#, "/localizations/de/title WRONG_TYPE"),
      (#""title":"a","localizations":{"de":{"title":"\#(long(4_001))"}}"#, "/localizations/de/title TOO_LONG"),
      (#""title":"a","localizations":{"de":{"sound":"x"}}"#, "/localizations/de/sound UNKNOWN_FIELD"),
      (#""title":"a","localizations":{"d":{"title":"x"}}"#, "/localizations/d BAD_FORMAT"),
      (#""title":"a","localizations":{"de_DE":{"title":"x"}}"#, "/localizations/de_DE BAD_FORMAT"),
      (#""title":"a","localizations":{"":{"title":"x"}}"#, "/localizations/ BAD_FORMAT"),
      (#""title":"a","localizations":{"a/b":{"title":"x"}}"#, "/localizations/a~1b BAD_FORMAT"),
      (#""title":"a","localizations":{"\#(long(65))":{"title":"x"}}"#, "/localizations BAD_FORMAT"),
      (
        #""title":"a","localizations":{"de-DE":{"title":"x"},"DE-de":{"title":"y"}}"#,
        "/localizations/DE-de DUPLICATE"
      ),
      // Data
      (#""title":"a","data":[]"#, "/data WRONG_TYPE"), (#""title":"a","data":"x""#, "/data WRONG_TYPE"),
      (#""title":"a","data":{"aps":{}}"#, "/data/aps RESERVED"),
      (#""title":"a","data":{"kits_":1}"#, "/data/kits_ RESERVED"),
      (#""title":"a","data":{"kits_message_id":null}"#, "/data/kits_message_id RESERVED"),
      (#""title":"a","data":{"kits_\#(long(200))":1}"#, "/data RESERVED"),
      // Addresses
      (#""title":"a","image_url":1"#, "/image_url WRONG_TYPE"),
      (#""title":"a","image_url":"""#, "/image_url TOO_SHORT"),
      (#""title":"a","image_url":"https://a/\#(long(2_039))""#, "/image_url TOO_LONG"),
      (#""title":"a","image_url":"http://a.example/x.png""#, "/image_url BAD_FORMAT"),
      (#""title":"a","image_url":"https:///x.png""#, "/image_url BAD_FORMAT"),
      (#""title":"a","image_url":"https:x.png""#, "/image_url BAD_FORMAT"),
      (#""title":"a","image_url":"//a.example/x.png""#, "/image_url BAD_FORMAT"),
      (#""title":"a","image_url":"https://u:p@a.example/x.png""#, "/image_url BAD_FORMAT"),
      (#""title":"a","image_url":"https://@a.example/x.png""#, "/image_url BAD_FORMAT"),
      (#""title":"a","image_url":"https://a.example/x\n.png""#, "/image_url BAD_FORMAT"),
      (#""title":"a","image_url":"https://a.example/x y""#, "/image_url BAD_FORMAT"),
      (#""title":"a","image_url":"https://ä.example/""#, "/image_url BAD_FORMAT"),
      (#""title":"a","image_url":"data:image/png;base64,AA==""#, "/image_url BAD_FORMAT"),
      (#""title":"a","url":{}"#, "/url WRONG_TYPE"), (#""title":"a","url":"""#, "/url TOO_SHORT"),
      (#""title":"a","url":"a:\#(long(2_047))""#, "/url TOO_LONG"),
      (#""title":"a","url":"orders/1""#, "/url BAD_FORMAT"),
      (#""title":"a","url":"myapp://a b""#, "/url BAD_FORMAT"), (#""title":"a","url":"myapp:\t""#, "/url BAD_FORMAT"),
      // Apple's
      (#""title":"a","ios_category":1"#, "/ios_category WRONG_TYPE"),
      (#""title":"a","ios_category":"""#, "/ios_category TOO_SHORT"),
      (#""title":"a","ios_category":"\#(long(65))""#, "/ios_category TOO_LONG"),
      (#""title":"a","ios_category":"a\n""#, "/ios_category BAD_FORMAT"),
      (#""title":"a","ios_sound":1"#, "/ios_sound WRONG_TYPE"),
      (#""title":"a","ios_sound":[]"#, "/ios_sound WRONG_TYPE"),
      (#""title":"a","ios_sound":"""#, "/ios_sound TOO_SHORT"),
      (#""title":"a","ios_sound":"\#(long(129))""#, "/ios_sound TOO_LONG"),
      (#""title":"a","ios_sound":{"name":1}"#, "/ios_sound/name WRONG_TYPE"),
      (#""title":"a","ios_sound":{"name":""}"#, "/ios_sound/name TOO_SHORT"),
      (#""title":"a","ios_sound":{"name":"\#(long(129))"}"#, "/ios_sound/name TOO_LONG"),
      (#""title":"a","ios_sound":{"critical":1}"#, "/ios_sound/critical WRONG_TYPE"),
      (#""title":"a","ios_sound":{"volume":"1"}"#, "/ios_sound/volume WRONG_TYPE"),
      (#""title":"a","ios_sound":{"volume":1.01}"#, "/ios_sound/volume TOO_LARGE"),
      (#""title":"a","ios_sound":{"volume":-0.1}"#, "/ios_sound/volume TOO_SMALL"),
      (#""title":"a","ios_sound":{"loud":true}"#, "/ios_sound/loud UNKNOWN_FIELD"),
      (#""ios_badge":"1""#, "/ios_badge WRONG_TYPE"), (#""ios_badge":1.0"#, "/ios_badge WRONG_TYPE"),
      (#""ios_badge":-1"#, "/ios_badge TOO_SMALL"), (#""ios_badge":2147483648"#, "/ios_badge TOO_LARGE"),
      (#""ios_badge":9223372036854775807"#, "/ios_badge TOO_LARGE"),
      (#""title":"a","ios_interruption_level":"loud""#, "/ios_interruption_level NOT_ALLOWED"),
      (#""title":"a","ios_interruption_level":5"#, "/ios_interruption_level WRONG_TYPE"),
      (#""title":"a","ios_relevance_score":1.5"#, "/ios_relevance_score TOO_LARGE"),
      (#""title":"a","ios_relevance_score":-1"#, "/ios_relevance_score TOO_SMALL"),
      (#""title":"a","ios_relevance_score":"1""#, "/ios_relevance_score WRONG_TYPE"),
      (#""title":"a","thread_id":1"#, "/thread_id WRONG_TYPE"),
      (#""title":"a","thread_id":"""#, "/thread_id TOO_SHORT"),
      (#""title":"a","thread_id":"\#(long(257))""#, "/thread_id TOO_LONG"),
      (#""title":"a","thread_id":"\u007f""#, "/thread_id BAD_FORMAT"),
      // How
      (#""title":"a","collapse_id":1"#, "/collapse_id WRONG_TYPE"),
      (#""title":"a","collapse_id":"""#, "/collapse_id TOO_SHORT"),
      (#""title":"a","collapse_id":"\#(long(65))""#, "/collapse_id TOO_LONG"),
      (#""title":"a","collapse_id":"é""#, "/collapse_id BAD_FORMAT"),
      (#""title":"a","collapse_id":" a""#, "/collapse_id BAD_FORMAT"),
      (#""title":"a","collapse_id":"a ""#, "/collapse_id BAD_FORMAT"),
      (#""title":"a","priority":"urgent""#, "/priority NOT_ALLOWED"),
      (#""title":"a","priority":10"#, "/priority WRONG_TYPE"),
      (#""title":"a","ttl_seconds":"60""#, "/ttl_seconds WRONG_TYPE"),
      (#""title":"a","ttl_seconds":1.5"#, "/ttl_seconds WRONG_TYPE"),
      (#""title":"a","ttl_seconds":-1"#, "/ttl_seconds TOO_SMALL"),
      (#""title":"a","ttl_seconds":2419201"#, "/ttl_seconds TOO_LARGE"),
      (#""title":"a","content_available":1"#, "/content_available WRONG_TYPE"),
      (#""title":"a","mutable_content":"yes""#, "/mutable_content WRONG_TYPE"),
      (#""title":"a","on_unknown":"drop""#, "/on_unknown NOT_ALLOWED"),
      (#""title":"a","on_unknown":1"#, "/on_unknown WRONG_TYPE"),
      (#""title":"a","app_id":1"#, "/app_id WRONG_TYPE"), (#""title":"a","app_id":"x""#, "/app_id BAD_FORMAT"),
      (#""title":"a","track_events":"no""#, "/track_events WRONG_TYPE"),
      (#""title":"a","titel":"b""#, "/titel UNKNOWN_FIELD"), (#""title":"a","Title":"b""#, "/Title UNKNOWN_FIELD"),
    ])
  func wrongFields(fields: String, fault: String) throws {
    #expect(try DraftProbe.faults(fields: fields) == [fault])
  }

  /// C0, DEL and C1, at the edges.
  static let controls = ["\\u0001", "\\b", "\\u001f", "\\u007f", "\\u0080", "\\u0085", "\u{80}", "\u{9f}"]

  @Test("no text and no name holds a control character, written out or escaped", arguments: controls)
  func controlCharacters(control: String) throws {
    let text = "\"a\(control)b\""
    let alert = #""title":"a","#
    for (fields, pointer) in [
      ("\"title\":\(text)", "/title"), ("\(alert)\"subtitle\":\(text)", "/subtitle"), ("\"body\":\(text)", "/body"),
      ("\(alert)\"localizations\":{\"de\":{\"body\":\(text)}}", "/localizations/de/body"),
      ("\(alert)\"ios_category\":\(text)", "/ios_category"), ("\(alert)\"ios_sound\":\(text)", "/ios_sound"),
      ("\(alert)\"ios_sound\":{\"name\":\(text)}", "/ios_sound/name"),
      ("\(alert)\"thread_id\":\(text)", "/thread_id"), ("\(alert)\"collapse_id\":\(text)", "/collapse_id"),
    ] {
      #expect(try DraftProbe.faults(fields: fields) == ["\(pointer) BAD_FORMAT"], "\(fields)")
    }
  }

  @Test("texts have line breaks and tabs, and what only looks like a control character")
  func harmlessCharacters() throws {
    #expect(try DraftProbe.faults(fields: #""title":"a\t\n\r\u00a0\u2028\u200f\u00ad","body":"ÿ€\u0100""#) == [])
    #expect(try DraftProbe.faults(fields: #""title":"a","thread_id":"\u00a0é€😀""#) == [])
  }

  @Test(
    "an image's address names a server that can exist",
    arguments: [
      ("https://h:99999/", false), ("https://h:65536/", false), ("https://h:0/", false), ("https://h:65535/", true),
      ("https://h:/", true), ("https://h:00443/", true), ("https://./", false), ("https://.", false),
      ("https://../", false), ("https://a..b/", false), ("https://.a/", false), ("https://a.b./x", true),
      ("https://127.0.0.1%0d%0aX:1/", false), ("https://%61.example/", false), ("https://a.example/%0d%0a", true),
      ("https://[::1]:8443/x", true), ("https://[::1]:99999/x", false), ("https://:443/", false),
      ("https://\(long(63)).example/", true), ("https://\(long(64)).example/", false),
      ("https://\(Array(repeating: long(60), count: 5).joined(separator: "."))/", false),
    ])
  func imageServers(url: String, isFine: Bool) throws {
    let faults = try DraftProbe.faults(fields: #""title":"a","image_url":"\#(url)""#)
    #expect(faults == (isFine ? [] : ["/image_url BAD_FORMAT"]))
  }

  @Test(
    "a value at its limit is fine",
    arguments: [
      #""title":"\#(long(4_000))""#, #""body":"a\n\t\r""#, #""ios_badge":0"#, #""ios_badge":2147483647"#,
      #""title":"a","image_url":"https://a/\#(long(2_038))""#, #""title":"a","url":"a:\#(long(2_046))""#,
      #""title":"a","ios_category":"\#(long(64))""#, #""title":"a","ios_sound":"\#(long(128))""#,
      #""title":"a","ios_sound":{"volume":0}"#, #""title":"a","ios_sound":{"volume":1}"#,
      #""title":"a","ios_sound":{}"#,
      #""title":"a","ios_relevance_score":0"#, #""title":"a","ios_relevance_score":1.0"#,
      #""title":"a","thread_id":"\#(long(256))""#, #""title":"a","collapse_id":"\#(long(64))""#,
      #""title":"a","collapse_id":"a b""#, #""title":"a","ttl_seconds":0"#, #""title":"a","ttl_seconds":2419200"#,
      #""title":"a","localizations":{}"#, #""title":"a","localizations":{"de":{"title":null,"body":"x"}}"#,
      #""title":"a","data":{"kits":1,"APS":{},"nested":{"aps":1,"kits_x":2}}"#,
      #""title":"a","track_events":false,"track_receipts":false"#, #""title":"a","send_at":null"#,
    ])
  func edges(fields: String) throws {
    #expect(try DraftProbe.faults(fields: fields) == [])
  }

  @Test("null is the same as leaving an optional field out")
  func nulls() throws {
    let optional = [
      "subtitle", "body", "localizations", "data", "image_url", "url", "ios_category", "ios_sound", "ios_badge",
      "ios_interruption_level", "ios_relevance_score", "thread_id", "collapse_id", "priority", "ttl_seconds",
      "content_available", "mutable_content", "on_unknown", "app_id", "track_events", "track_receipts", "send_at",
      "send_at_local", "throttle_per_minute", "max_recipients", "expected_audience", "verified_only",
    ]
    let nulls = optional.map { "\"\($0)\":null" }.joined(separator: ",")
    let draft = try DraftProbe.draft("{\"target\":{\"everyone\":true},\"title\":\"a\",\(nulls)}")
    #expect(
      String(decoding: draft.content.json, as: UTF8.self) == #"{"title":"a","priority":"high","ttl_seconds":259200}"#)
    #expect(draft.onUnknown == .resend)
    #expect(draft.content.priority == .high && draft.content.ttlSeconds == 259_200)
  }

  @Test(
    "a target names its recipients in exactly one way",
    arguments: [
      ("", "/target MISSING"), (#""target":null"#, "/target NULL_NOT_ALLOWED"), (#""target":[]"#, "/target WRONG_TYPE"),
      (#""target":{}"#, "/target CONFLICT"), (#""target":{"everyone":null}"#, "/target CONFLICT"),
      (#""target":{"everyone":false}"#, "/target/everyone NOT_ALLOWED"),
      (#""target":{"everyone":1}"#, "/target/everyone WRONG_TYPE"),
      (#""target":{"everyone":true,"installation_ids":["01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"]}"#, "/target CONFLICT"),
      (#""target":{"installation_ids":[]}"#, "/target/installation_ids TOO_FEW"),
      (#""target":{"installation_ids":{}}"#, "/target/installation_ids WRONG_TYPE"),
      (#""target":{"installation_ids":["x"]}"#, "/target/installation_ids/0 BAD_FORMAT"),
      (
        #""target":{"installation_ids":["01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70",7]}"#,
        "/target/installation_ids/1 WRONG_TYPE"
      ),
      (#""target":{"installation_ids":[null]}"#, "/target/installation_ids/0 NULL_NOT_ALLOWED"),
      (#""target":{"everyone":true,"all":true}"#, "/target/all UNKNOWN_FIELD"),
      (#""target":{"everyone":true,"external_ids":["a"]}"#, "/target CONFLICT"),
      (#""target":{"external_ids":[]}"#, "/target/external_ids TOO_FEW"),
      (#""target":{"external_ids":"a"}"#, "/target/external_ids WRONG_TYPE"),
      (#""target":{"external_ids":["a",""]}"#, "/target/external_ids/1 TOO_SHORT"),
      (#""target":{"external_ids":[7]}"#, "/target/external_ids/0 WRONG_TYPE"),
      (#""target":{"external_ids":["a\u0007"]}"#, "/target/external_ids/0 BAD_FORMAT"),
      (#""target":{"external_ids":["\u0085"]}"#, "/target/external_ids/0 BAD_FORMAT"),
    ])
  func targets(target: String, fault: String) throws {
    let fields = target.isEmpty ? "" : ",\(target)"
    let found = try DraftProbe.faults("{\"title\":\"a\"\(fields)}")
    #expect(found.code == .bodyInvalid)
    #expect(found.fields == [fault])
  }

  @Test("20,000 ids are a target, 20,001 are too many, and each case of an id is the same id")
  func targetSize() throws {
    let id = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
    func body(_ count: Int) -> String {
      let ids = repeatElement("\"\(id)\"", count: count).joined(separator: ",")
      return "{\"title\":\"a\",\"target\":{\"installation_ids\":[\(ids)]}}"
    }
    guard case .installations(let ids) = try DraftProbe.draft(body(20_000)).target else {
      Issue.record("not the kind of target that was named")
      return
    }
    #expect(ids.count == 20_000)
    #expect(try DraftProbe.faults(body(20_001)).fields == ["/target/installation_ids TOO_MANY"])
    let upper = try DraftProbe.draft("{\"title\":\"a\",\"target\":{\"installation_ids\":[\"\(id.uppercased())\"]}}")
    #expect(upper.target == .installations([try #require(InstallationID(parsing: id))]))
  }

  @Test("users have ids of 1 to 256 bytes; 20,000 of them are a target, 20,001 are too many")
  func users() throws {
    func body(_ ids: [String]) -> String {
      "{\"title\":\"a\",\"target\":{\"external_ids\":[\(ids.map { "\"\($0)\"" }.joined(separator: ","))]}}"
    }
    let longest = String(repeating: "é", count: 128)
    #expect(try DraftProbe.draft(body([longest])).target == .users([try #require(ExternalID(longest))]))
    #expect(try DraftProbe.faults(body([longest + "a"])).fields == ["/target/external_ids/0 TOO_LONG"])
    guard case .users(let ids) = try DraftProbe.draft(body(Array(repeating: "a", count: 20_000))).target else {
      Issue.record("not the kind of target that was named")
      return
    }
    #expect(ids.count == 20_000)
    #expect(
      try DraftProbe.faults(body(Array(repeating: "a", count: 20_001))).fields == ["/target/external_ids TOO_MANY"])
  }

  @Test(
    "a caller says whether only verified bindings are sent to, or the target decides",
    arguments: [("true", true), ("false", false), ("null", nil)] as [(String, Bool?)])
  func verifiedOnly(json: String, expected: Bool?) throws {
    let draft = try DraftProbe.draft("{\"target\":{\"everyone\":true},\"title\":\"a\",\"verified_only\":\(json)}")
    #expect(draft.isVerifiedOnly == expected)
  }

  @Test(
    "what a later version has is refused as such, alone under its own code",
    arguments: [
      (#""send_at":"2026-11-30T08:15:30Z""#, "/send_at"), (#""send_at_local":"x""#, "/send_at_local"),
      (#""throttle_per_minute":1"#, "/throttle_per_minute"),
      (#""track_events":true"#, "/track_events"), (#""track_receipts":true"#, "/track_receipts"),
    ])
  func laterFields(field: String, pointer: String) throws {
    let alone = try DraftProbe.faults("{\"target\":{\"everyone\":true},\"title\":\"a\",\(field)}")
    #expect(alone.code == .notAvailableYet)
    #expect(alone.fields == ["\(pointer) NOT_AVAILABLE_YET"])
    let withAnother = try DraftProbe.faults("{\"target\":{\"everyone\":true},\"title\":1,\(field)}")
    #expect(withAnother.code == .bodyInvalid)
    #expect(withAnother.fields == ["/title WRONG_TYPE", "\(pointer) NOT_AVAILABLE_YET"])
  }

  @Test(
    "fields that contradict one another are named",
    arguments: [
      (#""thread_id":"x""#, [" MISSING"]), (#""subtitle":"x""#, [" MISSING", "/subtitle CONFLICT"]),
      (#""ios_badge":1,"subtitle":"x""#, ["/subtitle CONFLICT"]),
      (#""ios_badge":1,"localizations":{"de":{"title":"x"}}"#, ["/localizations CONFLICT"]),
      (#""ios_badge":1,"image_url":"https://a.example/x""#, ["/image_url CONFLICT"]),
      (#""content_available":true,"title":"x""#, ["/title CONFLICT"]),
      (#""content_available":true,"subtitle":"x""#, ["/subtitle CONFLICT"]),
      (#""content_available":true,"body":"x""#, ["/body CONFLICT"]),
      (#""content_available":true,"localizations":{"de":{"title":"x"}}"#, ["/localizations CONFLICT"]),
      (#""content_available":true,"image_url":"https://a.example/x""#, ["/image_url CONFLICT"]),
      (#""content_available":true,"ios_category":"x""#, ["/ios_category CONFLICT"]),
      (#""content_available":true,"ios_sound":"x""#, ["/ios_sound CONFLICT"]),
      (#""content_available":true,"ios_badge":0"#, ["/ios_badge CONFLICT"]),
      (#""content_available":true,"ios_interruption_level":"passive""#, ["/ios_interruption_level CONFLICT"]),
      (#""content_available":true,"ios_relevance_score":1"#, ["/ios_relevance_score CONFLICT"]),
      (#""content_available":true,"thread_id":"x""#, ["/thread_id CONFLICT"]),
      (#""content_available":true,"mutable_content":true"#, ["/mutable_content CONFLICT"]),
      (#""content_available":true,"priority":"high""#, ["/priority NOT_ALLOWED"]),
      (#""content_available":true,"priority":"low""#, ["/priority NOT_ALLOWED"]),
      (#""content_available":true,"priority":"normal","mutable_content":false"#, []),
      (#""content_available":true"#, []), (#""content_available":false,"title":"x""#, []),
      (#""content_available":"x""#, ["/content_available WRONG_TYPE"]), (#""ios_badge":0"#, []),
    ])
  func contradictions(fields: String, faults: [String]) throws {
    #expect(try DraftProbe.faults(fields: fields) == faults)
  }

  @Test("101 localizations are too many; 100 are fine, and at most 100 faults are kept")
  func manyLocalizations() throws {
    func fields(_ count: Int, _ text: String) -> String {
      let members = (0..<count).map { "\"en-x-a\($0)\":{\"title\":\(text)}" }.joined(separator: ",")
      return "\"title\":\"a\",\"localizations\":{\(members)}"
    }
    #expect(try DraftProbe.content(fields(100, "\"b\"")).localizations.count == 100)
    #expect(try DraftProbe.faults(fields: fields(101, "\"b\"")) == ["/localizations TOO_MANY"])
    #expect(try DraftProbe.faults(fields: fields(100, "1") + ",\"body\":1").count == 100)
  }

  @Test("the content is kept as it was sent, with the effective priority and time to live")
  func storedContent() throws {
    let content = try DraftProbe.content(
      """
      "mutable_content":true,"ios_interruption_level":"time_sensitive","data":{"b":1,"a":1.5},"title":"x",\
      "ttl_seconds":5,"localizations":{"de-AT":{"title":"y","body":null}},"priority":"low"
      """)
    let expected = """
      {"title":"x","localizations":{"de-AT":{"title":"y","body":null}},"data":{"b":1,"a":1.5},\
      "ios_interruption_level":"time-sensitive","priority":"low","ttl_seconds":5,"mutable_content":true}
      """
    #expect(String(decoding: content.json, as: UTF8.self) == expected)
  }
}
