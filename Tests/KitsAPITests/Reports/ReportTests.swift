import Foundation
import JSON
import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@testable import KitsAPI

@Suite("Reports of devices and messages")
struct ReportTests {
  static func backend() async throws -> Backend { try await Backend.make([.reportsRead]) }

  static func appNumber(_ backend: Backend) async throws -> Int64 {
    try await backend.running.count("SELECT app_no FROM app WHERE app_id = '\(backend.tenant.app.text)'")
  }

  /// Some days that are counted already.
  private static func devices(_ backend: Backend) async throws {
    let app = try await appNumber(backend)
    try await backend.running.pool.script(
      """
      INSERT INTO device_day (app_no, day, platform, app_version, installs, uninstalls, taken_back)
      VALUES (\(app), '2026-03-01', 1, '2.0', 10, 3, 1), (\(app), '2026-03-01', 2, '', 4, 5, 0),
        (\(app), '2026-03-03', 1, '=2+3', 1, 0, 0), (\(app), '2026-03-05', 1, '2.0', 99, 99, 99)
      """)
  }

  @Test("T9: uninstalls per day in UTC, with zero days, what was taken back, installs and the difference")
  func uninstalls() async throws {
    let backend = try await Self.backend()
    try await Self.devices(backend)
    let reply = try await backend.get("/v1/reports/uninstalls?from=2026-03-01&to=2026-03-04")
    #expect(reply.status == 200)
    #expect(
      reply.text == """
        {"app_id":"\(backend.tenant.app.text)","from":"2026-03-01","to":"2026-03-04","time_zone":"UTC","group_by":null,\
        "total":{"installs":15,"uninstalls":8,"taken_back":1,"net":7},"days":[\
        {"day":"2026-03-01","installs":14,"uninstalls":8,"taken_back":1,"net":6,"groups":[]},\
        {"day":"2026-03-02","installs":0,"uninstalls":0,"taken_back":0,"net":0,"groups":[]},\
        {"day":"2026-03-03","installs":1,"uninstalls":0,"taken_back":0,"net":1,"groups":[]},\
        {"day":"2026-03-04","installs":0,"uninstalls":0,"taken_back":0,"net":0,"groups":[]}]}
        """)
    let platforms = try await backend.get("/v1/reports/uninstalls?from=2026-03-01&to=2026-03-01&group_by=platform")
    #expect(
      platforms.text.contains(
        """
        "groups":[{"platform":"ios","rest":false,"installs":10,"uninstalls":3,"taken_back":1,"net":7},\
        {"platform":"android","rest":false,"installs":4,"uninstalls":5,"taken_back":0,"net":-1}]
        """))
    let versions = try await backend.get("/v1/reports/uninstalls?from=2026-03-01&to=2026-03-01&group_by=version")
    #expect(versions.text.contains(#"{"app_version":null,"rest":false,"installs":4"#))
    #expect(versions.text.contains(#"{"app_version":"2.0","rest":false,"installs":10"#))
  }

  @Test("As CSV when that is asked for, and no cell is a formula")
  func csv() async throws {
    let backend = try await Self.backend()
    try await Self.devices(backend)
    let accept = [("Accept", "text/csv")]
    let days = "from=2026-03-01&to=2026-03-03"
    let plain = try await backend.running.send(
      "GET", "/v1/reports/uninstalls?\(days)", headers: backend.bearer + accept)
    #expect(plain.header("Content-Type") == "text/csv; charset=utf-8; header=present")
    #expect(
      plain.text
        == "day,installs,uninstalls,taken_back,net\r\n2026-03-01,14,8,1,6\r\n2026-03-02,0,0,0,0\r\n"
        + "2026-03-03,1,0,0,1\r\n"
    )
    let versions = try await backend.running.send(
      "GET", "/v1/reports/uninstalls?\(days)&group_by=version", headers: backend.bearer + accept)
    #expect(
      versions.text == """
        day,app_version,rest,installs,uninstalls,taken_back,net\r\n2026-03-01,,false,4,5,0,-1\r\n\
        2026-03-01,2.0,false,10,3,1,7\r\n2026-03-03,'=2+3,false,1,0,0,1\r\n
        """)
    let messages = try await backend.running.send(
      "GET", "/v1/reports/messages?from=2026-03-01&to=2026-03-01", headers: backend.bearer + accept)
    #expect(
      messages.text == """
        start,messages,targeted,pending,accepted,failed,suppressed,expired,canceled,unknown,received,clicked\r\n\
        2026-03-01T00:00:00.000Z,0,0,0,0,0,0,0,0,0,0,0\r\n
        """)
    let both = try await backend.running.send(
      "GET", "/v1/reports/uninstalls", headers: backend.bearer + [("Accept", "text/csv, application/json")])
    #expect(both.header("Content-Type") == "application/json")
  }

  @Test("Messages per day and per hour, each a ledger, by when they were started")
  func messages() async throws {
    let backend = try await Self.backend()
    let app = try await Self.appNumber(backend)
    try await backend.running.pool.script(
      """
      INSERT INTO message_hour VALUES
        (\(app), '2026-03-01 23:00Z', 2, 10, 0, 5, 1, 1, 1, 1, 1, 4, 3, true),
        (\(app), '2026-03-02 00:00Z', 1, 5, 2, 3, 0, 0, 0, 0, 0, 1, 0, false)
      """)
    let days = try await backend.get("/v1/reports/messages?from=2026-03-01&to=2026-03-02")
    let steps = try #require(days.json["steps"]?.array)
    #expect(steps.count == 2 && days.json["time_zone"]?.string == "UTC" && days.json["interval"]?.string == "day")
    #expect(steps[0].object?["start"]?.string == "2026-03-01T00:00:00.000Z")
    #expect(steps[0].object?["received"]?.integer == 4 && steps[0].object?["clicked"]?.integer == 3)
    #expect(steps[0].object?["messages"]?.integer == 2)
    let ledger = try #require(steps[1].object?["ledger"]?.object)
    #expect(ledger["targeted"]?.integer == 5 && ledger["pending"]?.integer == 2 && ledger["accepted"]?.integer == 3)
    let hours = try await backend.get("/v1/reports/messages?from=2026-03-01&to=2026-03-02&interval=hour")
    let all = try #require(hours.json["steps"]?.array)
    #expect(all.count == 48)
    #expect(all[23].object?["messages"]?.integer == 2 && all[24].object?["messages"]?.integer == 1)
    #expect(all[24].object?["start"]?.string == "2026-03-02T00:00:00.000Z")
  }

  @Test(
    "Days are days, in order, and at most 400, by hour 31",
    arguments: [
      ("uninstalls?from=2025-01-01&to=2026-02-04", 200), ("uninstalls?from=2025-01-01&to=2026-02-05", 400),
      ("uninstalls?from=2026-02-30", 400), ("uninstalls?from=2026-2-3", 400),
      ("uninstalls?to=2026-02-03T00:00:00Z", 400),
      ("uninstalls?from=2026-02-03&to=2026-02-02", 400), ("uninstalls?from=2026-02-03&to=2026-02-03", 200),
      ("uninstalls?group_by=country", 400), ("uninstalls?interval=day", 400),
      ("messages?from=2025-01-01&to=2026-02-04", 200), ("messages?from=2025-01-01&to=2026-02-05", 400),
      ("messages?from=2026-01-01&to=2026-01-31&interval=hour", 200),
      ("messages?from=2026-01-01&to=2026-02-01&interval=hour", 400), ("messages?interval=hour", 200),
      ("messages?interval=week", 400), ("messages?group_by=platform", 400),
      ("uninstalls?from=9999-12-31&to=9999-12-31", 200),
      ("uninstalls?to=0000-01-01", 200),
    ])
  func ranges(query: String, status: Int) async throws {
    let backend = try await Self.backend()
    let reply = try await backend.get("/v1/reports/\(query)")
    #expect(reply.status == status, "\(reply.text)")
    if status == 400 { #expect(reply.code == "QUERY_INVALID") }
  }

  @Test("Without days it is the last 30, today with what just happened")
  func today() async throws {
    let backend = try await Self.backend()
    let device = try await backend.tenant.device(
      #"{"platform":"ios","push_token":"\#(Tenant.pushToken())","app_version":"3.1"}"#)
    let reply = try await backend.get("/v1/reports/uninstalls?group_by=version")
    let days = try #require(reply.json["days"]?.array)
    #expect(days.count == Limits.reportDefaultDays)
    #expect(days.last?.object?["installs"]?.integer == 1)
    #expect(
      days.last?.object?["groups"]
        == .array([
          .object([
            "app_version": .string("3.1"), "rest": .bool(false), "installs": .integer(1), "uninstalls": .integer(0),
            "taken_back": .integer(0), "net": .integer(1),
          ])
        ]))
    // Who deletes itself was never there.
    #expect(try await device.delete().status == 204)
    let after = try await backend.get("/v1/reports/uninstalls")
    #expect(after.json["total"]?.object?["installs"]?.integer == 0)
  }

  @Test("A report is of one app: the named one, or the only one; nobody sees another's")
  func apps() async throws {
    let backend = try await Self.backend()
    let other = try await Self.backend()
    try await Self.devices(backend)
    #expect(try await other.get("/v1/reports/uninstalls?app_id=\(backend.tenant.app.text)").status == 404)
    #expect(try await other.get("/v1/reports/messages?app_id=\(backend.tenant.app.text)").status == 404)
    let own = try await backend.get(
      "/v1/reports/uninstalls?app_id=\(backend.tenant.app.text)&from=2026-03-01&to=2026-03-01")
    #expect(own.json["total"]?.object?["installs"]?.integer == 14)
    let mine = try await other.get("/v1/reports/uninstalls?from=2026-03-01&to=2026-03-01")
    #expect(mine.json["total"]?.object?["installs"]?.integer == 0)
    let added = try await backend.running.access.createApp(
      NewApp(
        id: AppID(UUID()), environment: backend.tenant.environment, name: "second", bundleID: "com.example.b",
        platforms: [.ios], publicKey: PublicKey.generate().text, apnsKey: nil), by: .commandLine(.appCreated))
    #expect(added)
    #expect(try await backend.get("/v1/reports/uninstalls").code == "APP_REQUIRED")
  }

  @Test("No message of all that these tests made breaks what must be true of every one")
  func conserved() async throws {
    #expect(try await Conservation.breaches(of: try await RunningAPI.shared.value.url) == [])
  }
}

extension Reply {
  fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
