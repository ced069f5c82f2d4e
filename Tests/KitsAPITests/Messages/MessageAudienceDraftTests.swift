import KitsCore
import Testing

@testable import KitsAPI

@Suite("Audiences and guards in bodies of messages")
struct MessageAudienceDraftTests {
  private static let one = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
  private static let two = "01936b30-2b4e-7f6a-9c15-7e3d2a8b4c60"

  private func id(_ text: String) throws -> SegmentID { try #require(SegmentID(parsing: text)) }

  @Test("segments, a filter and test devices are targets; segments are left out of them and of everyone (K8)")
  func kinds() throws {
    let exclusion = #""exclude_segment_ids":["\#(Self.two)"]"#
    func draft(_ target: String) throws -> MessageDraft {
      try DraftProbe.draft(#"{"title":"a","target":{\#(target),\#(exclusion)}}"#)
    }
    let segments = try draft(#""segment_ids":["\#(Self.one)","\#(Self.one.uppercased())"]"#)
    let (one, two) = (try id(Self.one), try id(Self.two))
    #expect(segments.target == .segments([one]) && segments.excluded == [two])
    let filter = try draft(#""filter":{"field":"identified","op":"is","value":true}"#)
    #expect(filter.target == .filter(.condition(.identified(true))) && filter.target.dependsOnUser)
    #expect(try draft(#""test_devices":true"#).target == .testDevices)
    #expect(try draft(#""everyone":true"#).excluded == [two])
  }

  @Test(
    "what is no audience is said with its place",
    arguments: [
      (#"{"segment_ids":[]}"#, ["/target/segment_ids TOO_FEW"]),
      (#"{"segment_ids":["x",1]}"#, ["/target/segment_ids/0 BAD_FORMAT", "/target/segment_ids/1 WRONG_TYPE"]),
      (#"{"filter":{"any":[]}}"#, ["/target/filter/any TOO_FEW"]),
      (#"{"filter":{"field":"x","op":"is","value":1}}"#, ["/target/filter/field NOT_ALLOWED"]),
      (#"{"test_devices":false}"#, ["/target/test_devices NOT_ALLOWED"]),
      (#"{"test_devices":"yes"}"#, ["/target/test_devices WRONG_TYPE"]),
      (#"{"everyone":true,"test_devices":true}"#, ["/target CONFLICT"]),
      (#"{"filter":{"all":[]},"segment_ids":["\#(one)"]}"#, ["/target CONFLICT"]),
      (#"{"exclude_segment_ids":["\#(one)"]}"#, ["/target CONFLICT"]),
      (#"{"everyone":true,"exclude_segment_ids":[]}"#, ["/target/exclude_segment_ids TOO_FEW"]),
      (
        #"{"segment_ids":["\#(one)"],"exclude_segment_ids":["\#(two)","\#(one)"]}"#,
        ["/target/exclude_segment_ids CONFLICT"]
      ),
      (
        #"{"installation_ids":["\#(one)"],"exclude_segment_ids":["\#(one)"]}"#,
        ["/target/exclude_segment_ids NOT_ALLOWED"]
      ),
      (#"{"external_ids":["a"],"exclude_segment_ids":["\#(one)"]}"#, ["/target/exclude_segment_ids NOT_ALLOWED"]),
    ])
  func faults(target: String, faults: [String]) throws {
    let found = try DraftProbe.faults(#"{"title":"a","target":\#(target)}"#)
    #expect(found.code == .bodyInvalid && found.fields == faults)
  }

  @Test("20 segments are an audience, 21 are too many", arguments: ["segment_ids", "exclude_segment_ids"])
  func segmentLimit(name: String) throws {
    func body(_ count: Int) -> String {
      let ids = (0..<count).map { #""01936b30-2b4e-7f6a-9c15-7e3d2a8b4c\#($0 + 10)""# }.joined(separator: ",")
      return #"{"title":"a","target":{"\#(name)":[\#(ids)]\#(name == "segment_ids" ? "" : #","everyone":true"#)}}"#
    }
    let draft = try DraftProbe.draft(body(20))
    let segments = if case .segments(let ids) = draft.target { ids } else { draft.excluded }
    #expect(segments.count == 20)
    #expect(try DraftProbe.faults(body(21)).fields == ["/target/\(name) TOO_MANY"])
  }

  @Test("guards are what a preview answers: its digest, and how many it found")
  func guards() throws {
    let all = try DraftProbe.draft(
      """
      {"title":"a","target":{"everyone":true},"max_recipients":1,
       "expected_audience":{"digest":"9C1F07a3be4d2210","count":0}}
      """)
    #expect(all.guards.maxRecipients == 1)
    #expect(all.guards.expected?.digest.text == "9c1f07a3be4d2210" && all.guards.expected?.count == 0)
    let digest = try DraftProbe.draft(
      #"{"title":"a","target":{"everyone":true},"expected_audience":{"digest":"0000000000000000","count":null}}"#)
    #expect(digest.guards == AudienceGuards(maxRecipients: nil, expected: .init(digest: .init(0), count: nil)))
    #expect(try DraftProbe.draft(#"{"title":"a","target":{"everyone":true}}"#).guards == .none)
  }

  @Test(
    "guards at their edges",
    arguments: [
      (#""max_recipients":9007199254740991"#, []), (#""max_recipients":0"#, ["/max_recipients TOO_SMALL"]),
      (#""max_recipients":9007199254740992"#, ["/max_recipients TOO_LARGE"]),
      (#""max_recipients":1.5"#, ["/max_recipients WRONG_TYPE"]),
      (#""expected_audience":{}"#, ["/expected_audience/digest MISSING"]),
      (#""expected_audience":{"digest":null}"#, ["/expected_audience/digest NULL_NOT_ALLOWED"]),
      (#""expected_audience":{"digest":"9c1f07a3be4d221"}"#, ["/expected_audience/digest BAD_FORMAT"]),
      (#""expected_audience":{"digest":"9c1f07a3be4d22100"}"#, ["/expected_audience/digest TOO_LONG"]),
      (#""expected_audience":{"digest":"+c1f07a3be4d2210"}"#, ["/expected_audience/digest BAD_FORMAT"]),
      (
        #""expected_audience":{"digest":"9c1f07a3be4d2210","count":-1}"#, ["/expected_audience/count TOO_SMALL"]
      ),
      (#""expected_audience":{"digest":"9c1f07a3be4d2210","count":9007199254740991}"#, []),
      (
        #""expected_audience":{"digest":"9c1f07a3be4d2210","sendable":1}"#,
        ["/expected_audience/sendable UNKNOWN_FIELD"]
      ),
    ] as [(String, [String])])
  func guardEdges(field: String, faults: [String]) throws {
    #expect(try DraftProbe.faults(fields: #""title":"a",\#(field)"#) == faults)
  }
}
