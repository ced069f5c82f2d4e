import Foundation

/// A message to everyone during which the server is killed three times, each time started again at once.
struct KillMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let kills = 3
  /// What a dead node held is taken over after so long. The ordinary 60 would only make this last longer.
  private static let leaseSeconds = 20
  private static let patience = 600.0
  /// What one node may have declared and not written.
  private static let duplicatesPerKill = 500

  func run() throws(BenchError) -> [Figure] {
    try Audience(stage: stage, app: .noted).load(options.installations)
    let settings = ["KITS_LEASE_SECONDS": "\(Self.leaseSeconds)"]
    try stage.restart(with: SIGTERM, settings)
    let simulator = stage.checkingSimulator
    try simulator.reset()
    let id = try MessageCalls(stage, .noted).create(target: #"{"everyone":true}"#)
    let start = Moment.monotonic
    let wire = try HTTPWire(port: simulator.adminPort)
    for kill in 1...Self.kills {
      let goal = kill * options.installations / (Self.kills + 1)
      let reached = try wire.call("GET", "/wait?accepted=\(goal)&timeout_ms=300000")
      guard reached.status == 200 else { throw BenchError("\(goal) do not reach the simulator") }
      Progress.say("kill \(kill) at \(goal) of \(options.installations)")
      try stage.restart(with: SIGKILL, settings)
    }
    let progress = MessageProgress(database: stage.database, app: try stage.keys(.noted).number, id: id)
    while try !progress.isSettled {
      guard Moment.seconds(since: start) < Self.patience else { throw BenchError("the message does not end") }
      usleep(20_000)
    }
    let seconds = Moment.seconds(since: start)
    let figures = try self.figures(id, try progress.accepted, simulator, seconds)
    try stage.restart(with: SIGTERM)
    return figures
  }

  private func figures(
    _ id: String, _ accepted: Int, _ simulator: SimulatorChild, _ seconds: Double
  ) throws(BenchError) -> [Figure] {
    let duplicates = try simulator.count("duplicate_apns_ids")
    let flags = try flagged(id)
    // Of each delivery that is flagged, the notifications after the first: every duplicate should be among them.
    let arrivals = try NotedArrivals(simulator)
    var explained = 0
    for token in flags {
      let all = try arrivals.notifications(token: token).filter { $0.messageID == id }
      explained += max(0, all.count - 1)
    }
    let shown = "\(options.installations) deliveries, \(Self.kills) kills, \(Text.number(seconds)) s"
    return [
      Figure(
        "kill −9: lost", Double(options.installations - (try simulator.count("distinct_tokens"))), "deliveries",
        target: .atMost(0), note: "\(shown), a lease of \(Self.leaseSeconds) s"),
      Figure(
        "kill −9: without an outcome in the database", Double(options.installations - accepted), "deliveries",
        target: .atMost(0)),
      Figure(
        "kill −9: duplicates per kill", Double(duplicates) / Double(Self.kills), "deliveries",
        target: .atMost(Double(Self.duplicatesPerKill)), note: "\(duplicates) in all, by apns-id"),
      Figure(
        "kill −9: duplicates that don't replace the first", Double(duplicates - (try simulator.count("replaced"))),
        "deliveries", target: .atMost(0)),
      Figure(
        "kill −9: duplicates that aren't flagged", Double(duplicates - explained), "deliveries", target: .atMost(0),
        note: "\(flags.count) are flagged: sent again because nobody knew"),
    ]
  }

  /// Push tokens of the message's deliveries that are marked as sent again.
  private func flagged(_ id: String) throws(BenchError) -> [String] {
    try stage.database.rows(
      """
      SELECT i.push_token
      FROM message m
      JOIN delivery_summary s USING (app_no, message_no)
      JOIN message_chunk k USING (app_no, message_no, chunk_no)
      JOIN installation i ON i.app_no = k.app_no AND i.installation_no = k.members[s.idx + 1]
      WHERE m.app_no = \(stage.keys(.noted).number) AND m.message_id = '\(id)' AND s.resent
      """
    ).map { $0[0] }
  }
}
