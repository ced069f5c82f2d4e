import Foundation
import TestSupport
import Testing

@testable import KitsServer

@Suite("Large and interrupted imports", .serialized)
struct ImportInterruptionTests {
  static let header =
    "push_token,external_id,app_version,language,time_zone,permission,push_preference,session_count,"
    + "foreground_seconds,last_session,tags.plan,tags\n"

  /// One row of the file, and what the database shall have of it.
  static func row(_ index: Int, _ random: inout SplitMix) -> (line: String, row: String) {
    let token = "t-\(String(random.next(), radix: 36))-\(index)"
    let user = random.below(2) == 0 ? "" : "us,er \"\(index)\" é"
    let version = "\(random.below(9)).\(random.below(90))"
    let (language, zone) = ([("de-DE", "Europe/Berlin"), ("ja", "Asia/Tokyo"), ("", "")])[random.below(3)]
    let permission = random.below(6)
    let name = ["unknown", "not_determined", "denied", "authorized", "provisional", "ephemeral"][permission]
    let preference = random.below(2) == 0
    let (count, seconds) = (random.below(1_000), random.below(1_000_000))
    let last = 1_600_000_000 + random.below(100_000_000)
    let (plan, city) = (random.below(2) == 0 ? "" : "pro", random.below(2) == 0 ? "" : "Köln; \(index)")
    func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }
    let cells = [
      token, quoted(user), version, language, zone, name, "\(preference)", "\(count)", "\(seconds)", "\(last)", plan,
      quoted(city.isEmpty ? "" : "{\"city\":\"\(city)\"}"),
    ]
    let tags = [city.isEmpty ? nil : "\"city\": \"\(city)\"", plan.isEmpty ? nil : "\"plan\": \"\(plan)\""]
      .compactMap { $0 }
    let moment = RFCText.utc(last)
    let expected = [
      token, "2", "1", "1", "\(permission)", preference ? "t" : "f", user.isEmpty ? nil : user, "f", version,
      language.isEmpty ? "und" : language.lowercased(), zone.isEmpty ? nil : zone, "15", "t", "f",
      "{\(tags.joined(separator: ", "))}", moment, moment, "\(count)", "\(seconds)", "t", "t",
    ].compactMap { $0 }
    return (cells.joined(separator: ","), expected.joined(separator: "|"))
  }

  static func file(_ count: Int, seed: UInt64) -> (text: String, rows: [String]) {
    var random = SplitMix(seed: seed)
    let all = (0..<count).map { row($0, &random) }
    return (header + all.map { $0.line + "\n" }.joined(), all.map(\.row))
  }

  @Test("What is in a file of 100,000 rows is what is in the database")
  func property() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    let (text, rows) = Self.file(100_000, seed: seed)
    try await ImportScene.with { scene in
      try await ImportScene.file(text) { path in
        let ending = try await scene.imported(path)
        #expect(ending.status == 0, "\(ending.standardError)")
        let (found, expected) = (Set(try await scene.installations()), Set(rows))
        #expect(found.count == 100_000)
        let (missing, extra) = (expected.subtracting(found), found.subtracting(expected))
        #expect(missing.isEmpty && extra.isEmpty, "seed \(seed): \(missing.first ?? "") / \(extra.first ?? "")")
      }
    }
  }

  @Test("Killed in the middle and resumed, an import ends with the rows and the counts of one that ran through")
  func killed() async throws {
    let (text, rows) = Self.file(40_000, seed: 7)
    // One in 1,000 is refused, one in 1,000 came before.
    let lines = text.split(separator: "\n").enumerated().flatMap { index, line -> [Substring] in
      index % 1_000 == 500 ? [line, line, "too,few"] : [line]
    }
    try await ImportScene.with { scene in
      try await ImportScene.file(lines.joined(separator: "\n") + "\n") { path in
        for _ in 0..<2 {
          let before = try await scene.texts("SELECT coalesce(sum(position), 0)::text FROM import_run")
          let process = try scene.importing(path, ["--resume"])
          _ = try await eventually("the import has moved on") {
            let now = try await scene.texts("SELECT coalesce(sum(position), 0)::text FROM import_run")
            return now == before ? nil : now
          }
          process.signal(SIGKILL)
          #expect(await process.ending().status == -SIGKILL)
        }
        let state = "SELECT concat_ws(' ', finished_at IS NULL, imported > 0, imported < 40000) FROM import_run"
        #expect(try await scene.texts(state) == ["t t t"])
        let added = try await scene.texts("SELECT imported::text FROM import_run")
        #expect(try await scene.texts("SELECT count(*)::text FROM installation") == added)
        let ending = try await scene.imported(path, "--resume")
        #expect(ending.status == 1)
        let counts = #""rows":40080,"imported":40000,"existing":40,"skipped":0,"refused":40,"erased":0"#
        #expect(ending.standardOutput.contains(counts), "\(ending.standardOutput)")
        #expect(Set(try await scene.installations()) == Set(rows))
      }
    }
  }

  @Test("Two imports of one file at a time: one goes on, and nothing comes twice")
  func twoAtOnce() async throws {
    let (text, rows) = Self.file(12_000, seed: 3)
    try await ImportScene.with { scene in
      try await ImportScene.file(text) { path in
        async let first = scene.imported(path)
        async let second = scene.imported(path)
        let statuses = [try await first.status, try await second.status]
        #expect(statuses.contains(0))
        #expect(Set(try await scene.installations()) == Set(rows))
        #expect(try await scene.texts("SELECT count(*)::text FROM token_owner") == ["12000"])
      }
    }
  }
}

/// How PostgreSQL writes a moment.
enum RFCText {
  static func utc(_ seconds: Int) -> String {
    var time = tm()
    var moment = time_t(seconds)
    gmtime_r(&moment, &time)
    return String(
      format: "%04d-%02d-%02d %02d:%02d:%02d+00", Int(time.tm_year) + 1900, time.tm_mon + 1, time.tm_mday, time.tm_hour,
      time.tm_min, time.tm_sec)
  }
}
