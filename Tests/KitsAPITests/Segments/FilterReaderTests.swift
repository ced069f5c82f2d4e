import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

@Suite("Reading filters")
struct FilterReaderTests {
  private static func read(_ json: String) throws -> (filter: Filter?, faults: [String]) {
    let faults = FaultCollector()
    let filter = FilterReader.read(ElementReader(try JSON.parse(Array(json.utf8)), into: faults))
    return (filter, faults.faults.map { "\($0.pointer) \($0.code.fieldCode.rawValue)" })
  }

  private static let day: Int64 = 86_400

  /// One condition of every field and operator, in canonical form.
  static let canonical: [String] = {
    var all: [String] = []
    for field in FilterField.allCases {
      let name = field == .tag ? "tag.Plan_1.x-y" : field.rawValue
      for op in field.operators {
        let value = value(of: field, op)
        all.append(#"{"field":"\#(name)","op":"\#(op.rawValue)"\#(value.map { ",\"value\":\($0)" } ?? "")}"#)
      }
    }
    return all
  }()

  private static func value(of field: FilterField, _ op: FilterOperator) -> String? {
    if op == .exists || op == .notExists { return nil }
    let one =
      switch field {
      case .appVersion, .osVersion: #""1.2.0-beta+7""#
      case .language: #""zh-hant""#
      case .firstSession, .lastSession: op == .before || op == .after ? #""2026-11-30T08:15:30.123456Z""# : "\(day)"
      case .sessionCount, .foregroundSeconds: "0"
      case .tag: [.gt, .gte, .lt, .lte].contains(op) ? #""-12.5""# : #""""#
      case .platform: #""android""#
      case .timeZone: #""Europe/Berlin""#
      case .externalID: #""'; --""#
      case .identified: "false"
      case .message: #""01936b2f-0d5a-7b3c-8e61-5a9d4c7f2b18""#
      }
    return op == .in ? "[\(one),\(one)]" : one
  }

  @Test("every condition comes back in its canonical form", arguments: canonical)
  func roundTrip(json: String) throws {
    let tree = #"{"all":[\#(json),{"not":{"any":[\#(json)]}},{"all":[]}]}"#
    let (filter, faults) = try Self.read(tree)
    #expect(faults == [])
    #expect(String(decoding: FilterWriter.bytes(try #require(filter)), as: UTF8.self) == tree)
  }

  @Test(
    "other spellings of the same are written in one form",
    arguments: [
      (#"{"field":"tag.a","op":"gt","value":10}"#, #"{"field":"tag.a","op":"gt","value":"10"}"#),
      (#"{"op":"lte","value":0.50,"field":"tag.a"}"#, #"{"field":"tag.a","op":"lte","value":"0.5"}"#),
      (#"{"field":"tag.a","op":"gt","value":"007.10"}"#, #"{"field":"tag.a","op":"gt","value":"7.1"}"#),
      (#"{"field":"language","op":"is","value":"zh-HANT"}"#, #"{"field":"language","op":"is","value":"zh-hant"}"#),
      (
        #"{"field":"last_session","op":"after","value":"2026-11-30T09:15:30+01:00"}"#,
        #"{"field":"last_session","op":"after","value":"2026-11-30T08:15:30Z"}"#
      ),
    ])
  func canonicalForm(sent: String, written: String) throws {
    let filter = try #require(try Self.read(sent).filter)
    #expect(String(decoding: FilterWriter.bytes(filter), as: UTF8.self) == written)
  }

  @Test(
    "what doesn't fit is refused with its pointer",
    arguments: [
      ("null", " NULL_NOT_ALLOWED"), ("[]", " WRONG_TYPE"), ("{}", " MISSING"),
      (#"{"all":[],"any":[]}"#, " CONFLICT"), (#"{"all":{}}"#, "/all WRONG_TYPE"), (#"{"any":[]}"#, "/any TOO_FEW"),
      (#"{"not":[]}"#, "/not WRONG_TYPE"), (#"{"all":[],"x":1}"#, "/x UNKNOWN_FIELD"),
      (#"{"all":[{"field":"x"}]}"#, "/all/0/field NOT_ALLOWED"), (#"{"field":7,"op":"is"}"#, "/field WRONG_TYPE"),
      (#"{"field":"tag.","op":"exists"}"#, "/field BAD_FORMAT"),
      (#"{"field":"tag","op":"exists"}"#, "/field NOT_ALLOWED"),
      (#"{"field":"tag.a b","op":"exists"}"#, "/field BAD_FORMAT"),
      (#"{"field":"tag.é","op":"exists"}"#, "/field BAD_FORMAT"),
      (#"{"field":"Platform","op":"is","value":"ios"}"#, "/field NOT_ALLOWED"),
      (#"{"field":"platform","value":"ios"}"#, "/op MISSING"),
      (#"{"field":"platform","op":"gt","value":"ios"}"#, "/op NOT_ALLOWED"),
      (#"{"field":"platform","op":"is"}"#, "/value MISSING"),
      (#"{"field":"platform","op":"is","value":null}"#, "/value NULL_NOT_ALLOWED"),
      (#"{"field":"platform","op":"is","value":"web"}"#, "/value NOT_ALLOWED"),
      (#"{"field":"platform","op":"in","value":"ios"}"#, "/value WRONG_TYPE"),
      (#"{"field":"platform","op":"in","value":[]}"#, "/value TOO_FEW"),
      (#"{"field":"platform","op":"in","value":["ios",1]}"#, "/value/1 WRONG_TYPE"),
      (#"{"field":"tag.a","op":"exists","value":true}"#, "/value UNKNOWN_FIELD"),
      (#"{"field":"tag.a","op":"is","value":5}"#, "/value WRONG_TYPE"),
      (#"{"field":"tag.a","op":"is","value":"a\u0001"}"#, "/value BAD_FORMAT"),
      (#"{"field":"tag.a","op":"gt","value":"1e5"}"#, "/value BAD_FORMAT"),
      (#"{"field":"tag.a","op":"gt","value":1e100}"#, "/value BAD_FORMAT"),
      (#"{"field":"tag.a","op":"gt","value":true}"#, "/value WRONG_TYPE"),
      (#"{"field":"app_version","op":"gt","value":"v1"}"#, "/value BAD_FORMAT"),
      (#"{"field":"app_version","op":"gt","value":1.2}"#, "/value WRONG_TYPE"),
      (#"{"field":"language","op":"is","value":"de_DE"}"#, "/value BAD_FORMAT"),
      (#"{"field":"language","op":"is","value":"*"}"#, "/value TOO_SHORT"),
      (#"{"field":"last_session","op":"older_than","value":0}"#, "/value TOO_SMALL"),
      (#"{"field":"last_session","op":"older_than","value":3155760001}"#, "/value TOO_LARGE"),
      (#"{"field":"last_session","op":"before","value":"yesterday"}"#, "/value BAD_FORMAT"),
      (#"{"field":"session_count","op":"gt","value":-1}"#, "/value TOO_SMALL"),
      (#"{"field":"session_count","op":"gt","value":9007199254740992}"#, "/value TOO_LARGE"),
      (#"{"field":"identified","op":"is","value":"true"}"#, "/value WRONG_TYPE"),
      (#"{"field":"identified","op":"is","value":true,"x":1}"#, "/x UNKNOWN_FIELD"),
      (#"{"field":"message","op":"clicked","value":"01936b2f"}"#, "/value BAD_FORMAT"),
      (#"{"field":"message","op":"received"}"#, "/value MISSING"),
      (#"{"field":"message","op":"is","value":"01936b2f-0d5a-7b3c-8e61-5a9d4c7f2b18"}"#, "/op NOT_ALLOWED"),
    ])
  func refused(json: String, fault: String) throws {
    #expect(try Self.read(json).faults == [fault])
  }

  @Test("all faults of a tree are named at once")
  func all() throws {
    let (_, faults) = try Self.read(
      #"{"all":[{"field":"x"},{"not":{"any":[{"field":"platform","op":"is","value":1},{}]}}],"y":1}"#)
    #expect(
      faults == [
        "/all/0/field NOT_ALLOWED", "/all/1/not/any/0/value WRONG_TYPE", "/all/1/not/any/1 MISSING",
        "/y UNKNOWN_FIELD",
      ])
  }

  private static func nested(_ depth: Int) -> String {
    (1..<depth).reduce(#"{"field":"identified","op":"is","value":true}"#) { tree, _ in #"{"not":\#(tree)}"# }
  }

  private static func wide(_ leaves: Int) -> String {
    let leaf = #"{"field":"tag.a","op":"exists"}"#
    // In two groups, so that no single one is too long.
    func group(_ count: Int) -> String { #"{"any":[\#(Array(repeating: leaf, count: count).joined(separator: ","))]}"# }
    return #"{"all":[\#(group(leaves / 2)),\#(group(leaves - leaves / 2))]}"#
  }

  private static func tag(_ bytes: Int) -> String {
    #"{"field":"tag.\#(String(repeating: "k", count: bytes))","op":"exists"}"#
  }

  private static func choice(_ count: Int, _ text: String = "x") -> String {
    let values = Array(repeating: "\"\(text)\"", count: count).joined(separator: ",")
    return #"{"field":"tag.a","op":"in","value":[\#(values)]}"#
  }

  @Test("limits hold at their edges")
  func limits() throws {
    let edges: [(within: String, beyond: String, fault: String)] = [
      (Self.nested(8), Self.nested(9), "/not/not/not/not/not/not/not/not TOO_MANY"),
      (Self.wide(200), Self.wide(201), "/all/1/any/100 TOO_MANY"),
      (Self.tag(64), Self.tag(65), "/field BAD_FORMAT"),
      (Self.choice(100), Self.choice(101), "/value TOO_MANY"),
      (
        Self.choice(1, String(repeating: "é", count: 128)), Self.choice(1, String(repeating: "é", count: 128) + "x"),
        "/value/0 TOO_LONG"
      ),
    ]
    for (within, beyond, fault) in edges {
      let good = try Self.read(within)
      #expect(good.filter != nil && good.faults == [])
      let bad = try Self.read(beyond)
      #expect(bad.filter == nil && bad.faults == [fault], "\(bad.faults)")
    }
    let empty = Array(repeating: #"{"all":[]}"#, count: 201).joined(separator: ",")
    #expect(try Self.read(#"{"any":[\#(empty)]}"#).faults == ["/any TOO_MANY"])
  }

  @Test("each of 515 naughty strings is compared as it is, or refused for its control characters or length")
  func naughty() throws {
    let strings = try #require(VectorFile.json("blns/blns.json").array).compactMap(\.string)
    #expect(strings.count == 515)
    var kept = 0
    for text in strings {
      for field in ["tag.a", "external_id", "time_zone"] {
        let leaf = JSONObject([("field", .string(field)), ("op", .string("is")), ("value", .string(text))])
        let faults = FaultCollector()
        let element = ElementReader(try JSON.parse(JSON.write(.object(leaf))), into: faults)
        guard let filter = FilterReader.read(element) else {
          #expect(faults.faults.allSatisfy { [.badFormat, .tooLong, .tooShort].contains($0.code) })
          continue
        }
        kept += 1
        #expect(FilterWriter.bytes(filter) == JSON.write(.object(leaf)))
        let sql = CompiledFilter(filter, firstParameter: 1).sql
        #expect(sql.wholeMatch(of: /i\.[a-z_]+ (=|@>) \$1/) != nil, "\(sql)")
        // Nothing hostile is a field, an operator or a tag's key.
        let key = JSONObject([("field", .string("tag." + text)), ("op", .string(text)), ("value", .string(""))])
        #expect(FilterReader.read(ElementReader(.object(key), into: faults)) == nil)
      }
    }
    #expect(kept > 1_200)
  }
}
