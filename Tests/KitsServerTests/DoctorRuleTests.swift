import APNs
import KitsCore
import TestSupport
import Testing

@testable import KitsServer
@testable import KitsStore

@Suite("What the doctor makes of what it sees")
struct DoctorRuleTests {
  static let now = KitsCore.Timestamp(microseconds: 1_790_000_000_000_000)
  static let key = SealedAPNsKey(
    teamID: "DEF123GHIJ", keyID: "ABC123DEFG", fingerprint: [], sealedUnder: "a", sealedPrivateKey: [])

  static func server(
    commit: String = "on", fsync: String = "on", pages: String = "on", limit: Int32 = 97, used: Int64 = 5,
    standby: Bool = false
  ) -> ServerDiagnosis {
    ServerDiagnosis(
      version: "15.9", synchronousCommit: commit, fsync: fsync, fullPageWrites: pages, connectionLimit: limit,
      connections: used, now: now, isStandby: standby)
  }

  @Test(
    "Settings of the server that lose data or starve a node",
    arguments: [
      (server(), []),
      (server(commit: "local"), []),
      (server(commit: "off"), ["database.synchronous_commit"]),
      (server(fsync: "off", pages: "off"), ["database.fsync", "database.full_page_writes"]),
      (server(limit: 97, used: 89), []),
      (server(limit: 97, used: 90), ["database.connections"]),
      (server(standby: true), ["database.primary"]),
    ])
  func settings(server: ServerDiagnosis, checks: [String]) {
    let findings = DatabaseChecks.judge(server, connectionsWanted: 8).filter(\.needsAction)
    #expect(findings.map(\.check) == checks)
    #expect(findings.allSatisfy { !$0.why.isEmpty && $0.why.hasSuffix(".") && $0.todo.hasSuffix(".") })
  }

  @Test(
    "Clocks that differ",
    arguments: [(0, false), (4_999, false), (5_500, true), (-5_500, true), (3_600_000, true)])
  func clocks(milliseconds: Int, isFound: Bool) {
    let here = Int(Self.now.microseconds / 1_000) + milliseconds
    #expect(HostChecks.clock(here: here...here + 100, database: Self.now).needsAction == isFound)
    #expect(HostChecks.pushServiceClock(Self.now.seconds + 61, database: Self.now).level == .problem)
    #expect(HostChecks.pushServiceClock(Self.now.seconds - 60, database: Self.now).level == .fine)
  }

  @Test(
    "The date of an answer",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Sat, 29 Feb 2020 23:59:59 GMT", 1_583_020_799), ("Mon, 30 Nov 2026 02:46:40 GMT", 1_796_006_800),
      ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil), ("", nil),
      ("Sun, 06 Nox 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
    ] as [(String, Int64?)])
  func dates(text: String, seconds: Int64?) {
    #expect(HTTPDate.seconds(text) == seconds)
  }

  @Test(
    "Every answer of APNs is explained",
    arguments: [
      (400, APNsReason.badDeviceToken, Finding.Level.fine, ""),
      (403, .invalidProviderToken, .problem, "revoked"), (400, .topicDisallowed, .problem, "bundle id"),
      (403, .badEnvironmentKeyIDInToken, .note, "other environment"),
      (403, .badEnvironmentKeyInToken, .note, "other environment"),
      (403, .expiredProviderToken, .problem, "clock"), (429, .tooManyProviderTokenUpdates, .problem, "provider tokens"),
      (403, .forbidden, .problem, "credential"), (503, .serviceUnavailable, .problem, "busy"),
      (418, APNsReason("Teapot"), .problem, "no answer that APNs gives"),
    ])
  func answers(status: Int, reason: APNsReason, level: Finding.Level, words: String) {
    let answer = PushServiceProbe.Answer.rejected(status: status, reason: reason, date: nil)
    let finding = answer.finding(app: "app a", environment: .sandbox, isForOneEnvironment: true, key: Self.key)
    #expect(finding.level == level && finding.check == "apns.sandbox")
    #expect("\(finding.what) \(finding.why)".contains(words), "\(finding)")
  }

  @Test("A key that is for neither environment is a problem; a simulator is noted")
  func environments() {
    let other = PushServiceProbe.Answer.rejected(status: 403, reason: .badEnvironmentKeyInToken, date: nil)
    let finding = other.finding(app: "a", environment: .production, isForOneEnvironment: false, key: Self.key)
    #expect(finding.level == .problem && finding.check == "apns.production")
    let accepted = PushServiceProbe.Answer.accepted
    #expect(
      accepted.finding(app: "a", environment: .production, isForOneEnvironment: true, key: Self.key).level == .note)
  }

  @Test(
    "Partitions and old days", arguments: [([], "ok"), ([0], "problem"), ([1, 2], "problem"), ([6, 7], "warning")])
  func partitions(missing: [Int32], level: String) {
    #expect(WorkChecks.judge(missingDays: missing).map(\.level.rawValue) == [level])
    let old = KitsCore.Timestamp(microseconds: Self.now.microseconds - 32 * 86_400_000_000)
    #expect(WorkChecks.judge(oldestDayEnded: old, retentionDays: 30, now: Self.now).first?.level == .warning)
    #expect(WorkChecks.judge(oldestDayEnded: old, retentionDays: 31, now: Self.now).first?.level == .fine)
    #expect(WorkChecks.judge(oldestDayEnded: nil, retentionDays: 1, now: Self.now).first?.level == .fine)
  }

  @Test("Open files: enough, or what to set")
  func openFiles() {
    #expect(HostChecks.openFiles(10_500).level == .fine)
    #expect(HostChecks.openFiles(10_499).level == .warning)
    let raised = OpenFiles.raiseLimit()
    #expect(raised == HostChecks.hardLimit())
    #expect(ProcessMetrics.maximumDescriptors() == Double(HostChecks.hardLimit()))
  }

  @Test("A serving process may open as many files as the system lets it")
  func serving() async throws {
    try await withServer { server in
      let metrics = try await HTTPCall("GET", server.adminURL + "/metrics").answer().text
      #expect(metrics.contains("\nprocess_max_fds \(HostChecks.hardLimit())"), "\(metrics.suffix(600))")
    }
  }
}
