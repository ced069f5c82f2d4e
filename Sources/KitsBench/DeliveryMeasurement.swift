import Foundation

/// A message to everyone from its first request at the push service to its last outcome in the database, and a bare
/// libcurl loop that sends as many, in turn.
struct DeliveryMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let loopThreads = 2
  private static let patience = 900.0

  /// Rates a second, and CPU seconds per 100,000: of the sender alone, and of all processes that take part.
  private struct Round {
    var rate = 0.0
    var cpu = 0.0
    var allCPU = 0.0
    var bare = 0.0
    var bareCPU = 0.0
    var bareAllCPU = 0.0
  }

  func run() throws(BenchError) -> [Figure] {
    let app = try stage.app(.delivery)
    let idle = stage.server.residentMiB
    try Audience(stage: stage, app: app).load(options.installations)
    var peak = 0.0
    var rounds: [Round] = []
    var connections = 0
    for number in 1...options.rounds {
      Progress.say("delivery, round \(number): Kits")
      var round = Round()
      try deliver(app, &round, &peak)
      // Those of the bare loop before are closed.
      connections = try stage.simulator.count("connections_opened") - stage.simulator.count("connections_closed")
      Progress.say("delivery, round \(number): bare libcurl loop, \(connections) connections")
      try sendBare(app, connections: connections, &round)
      rounds.append(round)
    }
    guard let first = rounds.first, let middle = rounds.sorted(by: { $0.rate / $0.bare < $1.rate / $1.bare }).median
    else {
      return []
    }
    let shown = "\(options.installations) deliveries, \(connections) connections, \(Self.loopThreads) loop threads"
    return [
      Figure(
        "deliveries, end to end", middle.rate, "/s", against: middle.bare, "bare libcurl loop", target: .atLeast(0.5),
        note: "\(shown); median of \(rounds.count) rounds, the first: \(Text.number(first.rate / first.bare))"),
      Figure(
        "deliveries, CPU of the process per 100 k", middle.cpu, "s", against: middle.bareCPU, "bare libcurl loop"),
      Figure(
        "deliveries, CPU of all per 100 k", middle.allCPU, "s", against: middle.bareAllCPU, "loop and simulator",
        note: "Kits: server, database and simulator"),
      Figure("memory of the server before delivering", idle, "MiB"),
      Figure("memory of the server, peak while delivering", peak, "MiB", note: shown),
      Figure("memory of the server after delivering", stage.server.residentMiB, "MiB"),
    ]
  }

  private func deliver(_ app: Stage.AppKeys, _ round: inout Round, _ peak: inout Double) throws(BenchError) {
    let before = try stage.simulator.count("received")
    let cpu = stage.server.cpuSeconds
    let others = stage.databaseCPUSeconds + stage.simulator.child.cpuSeconds
    let id = try MessageCalls(stage, app).create(target: #"{"everyone":true}"#)
    let first = try HTTPWire(port: stage.simulator.adminPort)
      .call("GET", "/wait?received=\(before + 1)&timeout_ms=60000")
    guard first.status == 200 else { throw BenchError("nothing reached the simulator within a minute") }
    let start = Moment.monotonic
    while try stage.database.value("SELECT settled FROM message WHERE message_id = '\(id)'") != "t" {
      guard Moment.seconds(since: start) < Self.patience else { throw BenchError("the message does not end") }
      peak = max(peak, stage.server.residentMiB)
      usleep(10_000)
    }
    let seconds = Moment.seconds(since: start)
    round.rate = Double(options.installations) / seconds
    let each = 1e5 / Double(options.installations)
    round.cpu = (stage.server.cpuSeconds - cpu) * each
    round.allCPU = round.cpu + (stage.databaseCPUSeconds + stage.simulator.child.cpuSeconds - others) * each
    let accepted = try stage.database.number(
      "SELECT l.accepted FROM message_ledger l JOIN message m USING (app_no, message_no) WHERE m.message_id = '\(id)'")
    let received = try stage.simulator.count("received") - before
    guard accepted == options.installations, received == options.installations else {
      throw BenchError("\(options.installations) targeted, \(accepted) accepted, \(received) at the simulator")
    }
  }

  private func sendBare(_ app: Stage.AppKeys, connections: Int, _ round: inout Round) throws(BenchError) {
    let payload = try stage.database.value(
      """
      SELECT encode(b.payloads[1], 'escape') FROM message_body b
      WHERE b.app_no = \(app.number) ORDER BY b.message_no DESC LIMIT 1
      """)
    let simulator = stage.simulator.child.cpuSeconds
    let result = try BareLoop.run(
      BareJob(
        port: stage.simulator.port, certificateFile: stage.simulator.certificateFile, payload: Array(payload.utf8),
        threads: min(Self.loopThreads, connections), connections: connections, count: options.installations))
    guard result.failed == 0, result.completed == options.installations else {
      throw BenchError("the bare loop: \(result.failed) of \(result.completed) failed")
    }
    round.bare = Double(result.completed) / result.seconds
    let each = 1e5 / Double(result.completed)
    round.bareCPU = result.cpuSeconds * each
    round.bareAllCPU = round.bareCPU + (stage.simulator.child.cpuSeconds - simulator) * each
  }
}

extension Array {
  /// The middle one of what is sorted already.
  fileprivate var median: Element? { isEmpty ? nil : self[count / 2] }
}
