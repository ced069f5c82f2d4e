/// A message to everyone, and a bare libcurl loop that sends as many, in turn.
struct DeliveryMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let loopThreads = 2

  private struct Round {
    let kits: Fanout.Result
    let bare: BareLoop.Result
    /// CPU seconds of the simulator during the bare loop.
    let bareSimulatorCPU: Double

    var ratio: Double { kits.rate / rate }
    var rate: Double { Double(bare.completed) / bare.seconds }
    func per100k(_ value: Double) -> Double { value * 1e5 / Double(bare.completed) }
  }

  func run() throws(BenchError) -> [Figure] {
    let idle = stage.server.residentMiB
    try Audience(stage: stage, app: .counted).load(options.installations)
    var rounds: [Round] = []
    var connections = 0
    for number in 1...options.rounds {
      Progress.say("delivery, round \(number): Kits")
      let kits = try Fanout(stage: stage, count: options.installations).run()
      // Those of the bare loop before are closed.
      connections = try stage.simulator.count("connections_opened") - stage.simulator.count("connections_closed")
      Progress.say("delivery, round \(number): bare libcurl loop, \(connections) connections")
      let simulator = stage.simulator.child.cpuSeconds
      let bare = try sendBare(connections: connections)
      rounds.append(
        Round(kits: kits, bare: bare, bareSimulatorCPU: stage.simulator.child.cpuSeconds - simulator))
    }
    let sorted = rounds.sorted { $0.ratio < $1.ratio }
    let peak = rounds.map(\.kits.peakMiB).max() ?? 0
    return figures(
      of: sorted[sorted.count / 2],
      shown: "\(options.installations) deliveries, \(connections) connections, \(Self.loopThreads) loop threads",
      rounds: "median of \(rounds.count) rounds, the first: \(Text.number(rounds[0].ratio))")
      + [
        Figure("memory of the server before delivering", idle, "MiB"),
        Figure("memory of the server, peak while delivering", peak, "MiB"),
        Figure("memory of the server after delivering", stage.server.residentMiB, "MiB"),
      ]
  }

  private func figures(of round: Round, shown: String, rounds: String) -> [Figure] {
    let kits = round.kits
    return [
      Figure(
        "deliveries, end to end", kits.rate, "/s", against: round.rate, "bare libcurl loop", target: .atLeast(0.8),
        note: "\(shown); \(rounds)"),
      Figure(
        "deliveries, CPU of the process per 100 k", kits.per100k(kits.serverCPU), "s",
        against: round.per100k(round.bare.cpuSeconds), "bare libcurl loop"),
      Figure(
        "deliveries, CPU of all per 100 k",
        kits.per100k(kits.serverCPU + kits.databaseCPU + kits.simulatorCPU), "s",
        against: round.per100k(round.bare.cpuSeconds + round.bareSimulatorCPU), "loop and simulator",
        note: "Kits: server, database and simulator"),
      Figure("deliveries, CPU of the database per 100 k", kits.per100k(kits.databaseCPU), "s"),
      Figure(
        "deliveries, CPU of the simulator per 100 k", kits.per100k(kits.simulatorCPU), "s",
        against: round.per100k(round.bareSimulatorCPU), "under the bare loop"),
      Figure(
        "write-ahead log per delivery", kits.logBytes / Double(kits.count), "bytes",
        note: "planning and full pages included"),
    ]
  }

  private func sendBare(connections: Int) throws(BenchError) -> BareLoop.Result {
    let result = try BareLoop.run(
      BareJob(
        port: stage.simulator.port, certificateFile: stage.simulator.certificateFile,
        payload: Array(try stage.payload(of: .counted).utf8), threads: min(Self.loopThreads, connections),
        connections: connections, count: options.installations))
    guard result.failed == 0, result.completed == options.installations else {
      throw BenchError("the bare loop: \(result.failed) of \(result.completed) failed")
    }
    return result
  }
}
