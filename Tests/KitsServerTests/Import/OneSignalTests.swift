import KitsCore
import Testing

@testable import KitsServer

/// The export's columns, with made-up rows.
@Suite("OneSignal's export")
struct OneSignalTests {
  static let header =
    "id,identifier,session_count,language,timezone,game_version,device_os,device_type,device_model,ad_id,tags,"
    + "last_active,playtime,amount_spent,created_at,invalid_identifier,badge_count,external_user_id,country,timezone_id"

  static func row(
    _ token: String, type: String = "0", tags: String = "{}", invalid: String = "f", language: String = "en",
    active: String = "2024-05-01 12:30:00 UTC", user: String = ""
  ) -> String {
    let quoted = "\"" + tags.replacing("\"", with: "\"\"") + "\""
    return "0190a,\(token),12,\(language),-25200,3.2.0,17.4,\(type),\"iPhone15,2\",,\(quoted),\(active),3600,0,"
      + "1700000000,\(invalid),2,\(user),US,America/Los_Angeles"
  }

  static func text(_ rows: String...) -> String { ([header] + rows).joined(separator: "\r\n") + "\r\n" }

  @Test("It is recognised, and each of its columns becomes what it means")
  func columns() throws {
    let batches = try ImportText.read(
      Self.text(Self.row("ABCD0001", tags: #"{"plan":"pro","level":4,"beta":true,"x":null}"#, user: "user_42")))
    #expect(batches.faults == [])
    let found = try #require(batches.installations.first)
    #expect(found.pushToken.text == "abcd0001" && found.platform == .ios)
    #expect(found.externalID?.text == "user_42")
    #expect(found.state.appVersion == .set("3.2.0") && found.state.osVersion == .set("17.4"))
    #expect(found.state.model == .set("iPhone15,2") && found.state.timeZone == .set("America/Los_Angeles"))
    #expect(found.state.permission == nil && found.state.pushPreference == nil)
    #expect(found.tags.map { "\($0.key.text)=\($0.value)" } == ["plan=pro", "level=4", "beta=true"])
    #expect(
      found.sessions
        == ImportedInstallation.Sessions(
          firstAt: Timestamp(microseconds: 1_700_000_000_000_000),
          lastAt: Timestamp(microseconds: 1_714_566_600_000_000), count: 12, foregroundSeconds: 3_600))
  }

  @Test("Who isn't subscribed, has no token, or is no device of the app is skipped")
  func skipped() throws {
    let text = Self.text(
      Self.row("ab01"), Self.row("ab02", invalid: "t"), Self.row(""), Self.row("a@example.com", type: "11"),
      Self.row("fcm", type: "1"), Self.row("ab03", type: "5"))
    #expect(try ImportText.read(text, platforms: [.ios]).skipped == 5)
    let both = try ImportText.read(text)
    #expect(both.skipped == 4)
    #expect(both.faults == ["2 identifier BAD_FORMAT"])
    #expect(both.tokens == ["fcm"])
  }

  @Test("Kinds of notifications of zero or less are a reason for there being none", arguments: ["1", "-2", "0", "x"])
  func notificationTypes(types: String) throws {
    let text = Self.header + ",notification_types\n" + Self.row("abcd0001") + ",\(types)\n"
    let batches = try ImportText.read(text)
    #expect(batches.tokens.count == (types == "1" ? 1 : 0))
    #expect(batches.skipped == (types == "1" ? 0 : 1))
  }

  @Test("Faults are told by the names that the file has")
  func names() throws {
    let text = Self.text(
      Self.row("abcd0001", active: "yesterday"), Self.row("abcd0002", language: "klingonish_language"),
      Self.row("abcd0003", tags: "[1]"), Self.row("abcd0004", language: "pt_BR"))
    let batches = try ImportText.read(text)
    #expect(batches.faults == ["2 last_active BAD_FORMAT", "3 language BAD_FORMAT", "4 tags BAD_FORMAT"])
    #expect(batches.tokens == ["abcd0004"])
  }

  @Test("Columns that it may have some day are left out and named")
  func unknown() throws {
    try ImportText.withFile(Array((Self.header + ",new_thing\n").utf8)) { path in
      let source = try ImportSource(try ImportFile(path), ImportSource.Options(), platforms: [.ios])
      #expect(source.format == .oneSignal && source.columns?.ignored == ["new_thing"])
    }
    let failure = #expect(throws: CommandFailure.self) {
      try ImportText.read("push_token\nab\n", format: .oneSignal)
    }
    #expect(failure?.message.contains("not OneSignal's export") == true)
  }
}
