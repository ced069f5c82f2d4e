import Foundation

/// A file of installations into the database: how fast, and in how much memory. Then the same file again, and a made-up
/// population.
struct ImportMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let patience: useconds_t = 10_000

  func run() throws(BenchError) -> [Figure] {
    let count = options.installations
    let file = stage.directory + "/installations.csv"
    try write(count, to: file)
    Progress.say("importing \(count) installations")
    let app = try stage.keys(.imports)
    let first = try kits("import", "installations", file, "--app", app.id)
    let there = try stage.database.number(
      "SELECT count(*) FROM installation WHERE app_no = \(app.number) AND tags ? 'city' AND session_count > 0")
    guard there == count else { throw BenchError("\(count) rows were imported and \(there) are there") }
    let again = try kits("import", "installations", file, "--app", app.id)
    let made = try kits("dev", "populate", "\(count)", "--app", app.id)
    func rate(_ run: (seconds: Double, mebibytes: Double)) -> Double { Double(count) / run.seconds }
    return [
      Figure("import, rows", rate(first), "/s", target: .atLeast(20_000), note: "16 columns, 3 tags, all new"),
      Figure("import, the same file again", rate(again), "/s", note: "all known"),
      Figure("import, peak memory", max(first.mebibytes, again.mebibytes) * 1.048576, "MB", target: .below(150)),
      Figure("populate", rate(made), "/s", note: "\(Text.number(made.mebibytes * 1.048576)) MB"),
    ]
  }

  /// Runs a command to its end and watches its memory.
  private func kits(_ words: String...) throws(BenchError) -> (seconds: Double, mebibytes: Double) {
    let start = Moment.monotonic
    let child = try stage.command(words + ["--json"])
    var peak = 0.0
    while child.isRunning {
      peak = max(peak, child.residentMiB)
      usleep(Self.patience)
    }
    guard child.wait() == 0 else { throw BenchError("kits \(words[0]) \(words[1]) failed") }
    return (Moment.seconds(since: start), peak)
  }

  private func write(_ count: Int, to file: String) throws(BenchError) {
    var random = SplitMix(seed: 4)
    var text = "push_token,external_id,permission,push_preference,app_version,os_version,model,sdk_version,language,"
    text += "time_zone,first_session,last_session,session_count,foreground_seconds,tags.city,tags\n"
    for index in 0..<count {
      let token = (0..<4).map { _ in String(format: "%016lx", random.next()) }.joined()
      let user = index % 2 == 0 ? "user-\(index)" : ""
      let seconds = 1_600_000_000 + Int(random.next() % 100_000_000)
      text += "\(token),\(user),authorized,true,4.\(index % 40).\(index % 7),18.\(index % 5),\"iPhone16,2\",1.2.0,"
      text += "\(index % 3 == 0 ? "de-DE" : "en-US"),Europe/Berlin,\(seconds),\(seconds + 86_400),\(index % 200 + 1),"
      text += "\(index % 9_000),c\(index % 500),\"{\"\"plan\"\":\"\"pro\"\",\"\"score\"\":\"\"\(index % 1_000)\"\"}\"\n"
    }
    try TextFile.write(text, to: file)
  }
}
