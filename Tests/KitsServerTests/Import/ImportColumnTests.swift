import KitsAPI
import KitsCore
import Testing

@testable import KitsServer

@Suite("Columns of an import")
struct ImportColumnTests {
  /// A row with one column beside those that every row needs.
  static func faults(_ column: String, _ cell: String) throws -> [String] {
    let quoted = "\"" + cell.replacing("\"", with: "\"\"") + "\""
    let header = column == "platform" ? "push_token,platform" : "push_token,\(column),platform"
    let row = column == "platform" ? "abcdef01,\(quoted)" : "abcdef01,\(quoted),ios"
    return try ImportText.read("\(header)\n\(row)\n").faults
  }

  static func times(_ character: String, _ count: Int) -> String { String(repeating: character, count: count) }

  @Test(
    "Each column takes what the API takes, up to its limit",
    arguments: [
      ("platform", "ios"), ("apns_environment", "sandbox"), ("permission", "provisional"), ("push_preference", "false"),
      ("push_preference", "T"), ("app_version", times("1", 64)), ("os_version", "18.1"), ("sdk_version", "1.0"),
      ("model", times("m", 64)), ("language", "zh-Hant-TW"), ("time_zone", "America/Argentina/Buenos_Aires"),
      ("external_id", times("u", 256)), ("external_id", "=cmd|' /C calc'!A0"), ("external_device_id", times("d", 256)),
      ("coppa", "1"), ("collection_enabled", "no"), ("first_session", "2024-02-29T23:59:59+02:00"),
      ("last_session", "946684800"), ("session_count", "9007199254740991"), ("foreground_seconds", "0"),
      ("tags", #"{"a":"b"}"#), ("tags.plan", times("é", 128)), ("tags." + times("k", 64), "x"), ("tags", ""),
      ("last_session", "1900000300"),
    ])
  func taken(column: String, cell: String) throws {
    #expect(try Self.faults(column, cell) == [])
  }

  @Test(
    "What doesn't fit is refused with its line, its column and the API's code",
    arguments: [
      ("platform", "windows", "NOT_ALLOWED"), ("platform", "iOS", "NOT_ALLOWED"),
      ("apns_environment", "prod", "NOT_ALLOWED"), ("permission", "yes", "NOT_ALLOWED"),
      ("push_preference", "maybe", "WRONG_TYPE"), ("app_version", times("1", 65), "TOO_LONG"),
      ("app_version", "1\u{7}", "BAD_FORMAT"), ("app_version", "1\u{0}", "BAD_FORMAT"),
      ("app_version", "1\n2", "BAD_FORMAT"), ("model", times("m", 65), "TOO_LONG"),
      ("language", "germanish", "BAD_FORMAT"), ("language", "de_DE", "BAD_FORMAT"),
      ("time_zone", "+02:00", "BAD_FORMAT"),
      ("external_id", times("u", 257), "TOO_LONG"), ("external_id", "  ", "BAD_FORMAT"),
      ("external_id", "a\u{202E}b", "BAD_FORMAT"), ("external_device_id", times("d", 257), "TOO_LONG"),
      ("coppa", "2", "WRONG_TYPE"), ("collection_enabled", "2", "WRONG_TYPE"),
      ("first_session", "2024-02-30T00:00:00Z", "BAD_FORMAT"), ("first_session", "1714564800000", "TOO_LARGE"),
      ("first_session", "946684799", "TOO_SMALL"), ("last_session", "1900000301", "TOO_LARGE"),
      ("session_count", "1.5", "WRONG_TYPE"), ("session_count", "-1", "TOO_SMALL"),
      ("session_count", "9007199254740992", "TOO_LARGE"), ("foreground_seconds", "1e3", "WRONG_TYPE"),
      ("tags", "{", "BAD_FORMAT"), ("tags", "[]", "BAD_FORMAT"), ("tags.plan", times("x", 257), "TOO_LONG"),
    ])
  func refused(column: String, cell: String, code: String) throws {
    #expect(try Self.faults(column, cell) == ["2 \(column) \(code)"])
  }

  @Test(
    "Tags follow the rules of tags",
    arguments: [
      (#"{"a":1}"#, "tags.a WRONG_TYPE"), (#"{"a b":"x"}"#, "tags BAD_FORMAT"), (#"{"":"x"}"#, "tags BAD_FORMAT"),
      (#"{"a":null}"#, "tags.a NULL_NOT_ALLOWED"), (#"{"a":{"b":"c"}}"#, "tags.a WRONG_TYPE"),
      ("{" + (1...65).map { #""k\#($0)":"v""# }.joined(separator: ",") + "}", "tags TOO_MANY"),
      (
        "{" + (10..<42).map { #""k\#($0)":"\#(times("v", 254))""# }.joined(separator: ",") + "}",
        "tags TOO_LARGE"
      ),
    ])
  func tags(cell: String, fault: String) throws {
    #expect(try Self.faults("tags", cell) == ["2 \(fault)"])
  }

  @Test("64 tags of 8,192 bytes together are taken, in a column each or in one")
  func manyTags() throws {
    let full = "{" + (10..<74).map { #""k\#($0)":"\#(Self.times("v", 125))""# }.joined(separator: ",") + "}"
    #expect(try Self.faults("tags", full) == [])
    let both = try ImportText.read(
      "push_token,platform,tags,tags.a,tags.c\nff00ff00,ios,\"{\"\"a\"\":\"\"1\"\",\"\"b\"\":\"\"2\"\"}\",9,\n")
    #expect(both.installations.map { $0.tags.map { "\($0.key.text)=\($0.value)" }.sorted() } == [["a=9", "b=2"]])
  }

  @Test(
    "A push token is needed, and has its platform's form",
    arguments: [
      ("", "ios", "push_token MISSING"), ("xyz", "ios", "push_token BAD_FORMAT"),
      ("abc", "ios", "push_token BAD_FORMAT"),
      ("a b", "android", "push_token BAD_FORMAT"), (times("ab", 101), "ios", "push_token BAD_FORMAT"),
      (times("a", 4_097), "android", "push_token TOO_LONG"), ("abcdef01", "", "platform MISSING"),
    ])
  func token(token: String, platform: String, fault: String) throws {
    #expect(try ImportText.read("push_token,platform\n\"\(token)\",\(platform)\n").faults == ["2 \(fault)"])
  }

  @Test("Without a column for it the platform is the app's only one, and no other is taken")
  func onlyPlatform() throws {
    let batches = try ImportText.read("push_token\nABCDEF01\n", platforms: [.ios])
    #expect(batches.installations.map(\.platform) == [.ios])
    #expect(batches.tokens == ["abcdef01"])
    let other = try ImportText.read("push_token,platform\nAB,android\n", platforms: [.ios])
    #expect(other.faults == ["2 platform NOT_ALLOWED"])
  }

  @Test("A row that has other cells than the first line is refused, whatever is in them")
  func counts() throws {
    let batches = try ImportText.read("push_token,platform\nab\nab,ios,x\nabcdef01,ios\n")
    #expect(batches.faults == ["2  TOO_FEW", "3  TOO_MANY"])
    #expect(batches.tokens == ["abcdef01"])
  }

  @Test("Sessions: the first isn't after the last, one date stands for both, a date means at least one session")
  func sessions() throws {
    let text =
      "push_token,platform,first_session,last_session\nab00ab00,ios,1700000001,1700000000\nab00ab01,ios,1700000000,\n"
    let batches = try ImportText.read(text)
    #expect(batches.faults == ["2 last_session CONFLICT"])
    let moment = Timestamp(microseconds: 1_700_000_000_000_000)
    #expect(
      batches.installations.map(\.sessions)
        == [ImportedInstallation.Sessions(firstAt: moment, lastAt: moment, count: 1, foregroundSeconds: 0)])
  }

  @Test("JSON lines take the API's members, and refuse those that only a device may tell")
  func jsonMembers() throws {
    let text = """
      {"push_token":"abcdef01","platform":"ios","collection":{"enabled":false,"events":false},"tags":{"a":"b"}}
      {"push_token":"abcdef02","platform":"ios","identifiers":{"idfv":{"available":false}}}
      {"push_token":"abcdef03","platform":"ios","customer_user_id":"x"}
      {"push_token":"abcdef04","platform":"ios","pushtoken":"x"}
      {"push_token":"abcdef05","platform":"ios","session_count":"1"}
      """
    let batches = try ImportText.read(text)
    #expect(batches.tokens == ["abcdef01"])
    #expect(batches.installations[0].state.collectionEnabled == false)
    #expect(
      batches.faults == [
        "2 /identifiers NOT_ALLOWED", "3 /customer_user_id NOT_ALLOWED", "4 /pushtoken UNKNOWN_FIELD",
        "5 /session_count WRONG_TYPE",
      ])
    #expect(try ImportText.read(text, ignoresUnknown: true).tokens == ["abcdef01", "abcdef04"])
  }

  @Test(
    "A first line that can't be right is refused before any row",
    arguments: [
      ("", "the file is empty"), ("push_token,push_token\n", "twice"), ("a,b\n1,2\n", "without a meaning"),
      ("push_token,platfrom\n", "did you mean `platform`?"), ("platform\nios\n", "no column push_token"),
      ("\"push_token\n", "not a line of"), ("\u{1F}\u{8B}", "without a meaning"),
      (times("a,", 256) + "a\n", "at most 256 column names"),
    ])
  func header(text: String, sentence: String) throws {
    let failure = #expect(throws: CommandFailure.self) { try ImportText.read(text) }
    #expect(failure?.message.contains(sentence) == true, "\(failure?.message ?? "")")
  }

  @Test("A compressed file is named as that")
  func compressed() throws {
    let failure = #expect(throws: CommandFailure.self) { try ImportText.read([0x1F, 0x8B, 8, 0]) }
    #expect(failure?.message == "the file is compressed: `gunzip` it first")
  }

  @Test("A byte order mark, semicolons, spaces around names and CRLF are fine")
  func spreadsheet() throws {
    let batches = try ImportText.read("\u{FEFF}push_token; platform ;tags.plan\r\nabcdef01;ios;a,b\r\n")
    #expect(batches.faults == [] && batches.installations.map(\.tags.count) == [1])
    #expect(try ImportText.read("\u{FEFF}{\"push_token\":\"a\",\"platform\":\"android\"}").tokens == ["a"])
  }

  @Test("External ids are taken, left out or refused, as the operator decides")
  func externalIDs() throws {
    let text = "push_token,platform,external_id\nabcdef01,ios,u\nabcdef02,ios,\n"
    #expect(try ImportText.read(text).installations.map { $0.externalID?.text } == ["u", nil])
    #expect(try ImportText.read(text, externalIDs: .left).installations.map { $0.externalID?.text } == [nil, nil])
    let refused = try ImportText.read(text, externalIDs: .refused)
    #expect(refused.faults == ["2 external_id NOT_ALLOWED"] && refused.tokens == ["abcdef02"])
  }
}
