import Foundation

/// Thousands of messages to one device each, alone and while a message to everyone of the same app goes out over the
/// same connections.
struct SinglesMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let count = 5_000
  private static let warmUp = 500
  private static let clients = 16
  private static let patience = 300.0

  func run() throws(BenchError) -> [Figure] {
    let audience = Audience(stage: stage, app: .noted)
    try audience.load(options.installations)
    let load = SinglesLoad(stage: stage, devices: try audience.devices(Self.count), clients: Self.clients)
    _ = try SinglesLoad(stage: stage, devices: Array(load.devices.prefix(Self.warmUp)), clients: Self.clients).run()
    try stage.checkingSimulator.reset()
    Progress.say("singles, \(Self.count) messages to one device each, alone")
    let note = "\(Self.count) messages, \(Self.clients) clients"
    let figures = try self.figures(load.run(), "alone", note: note)
    return try figures + besideFanout(load)
  }

  private func besideFanout(_ load: SinglesLoad) throws(BenchError) -> [Figure] {
    Progress.say("singles, \(Self.count) messages beside a message to everyone")
    let simulator = stage.checkingSimulator
    try simulator.reset()
    let id = try MessageCalls(stage, .noted).create(target: #"{"everyone":true}"#)
    let progress = MessageProgress(database: stage.database, app: try stage.keys(.noted).number, id: id)
    let first = try HTTPWire(port: simulator.adminPort).call("GET", "/wait?received=1000&timeout_ms=60000")
    guard first.status == 200 else { throw BenchError("nothing reached the simulator within a minute") }
    let (before, start) = (try simulator.count("received"), Moment.monotonic)
    let sent = try load.run()
    let seconds = Moment.seconds(since: start)
    let meanwhile = try simulator.count("received") - before - Self.count
    let hasEnded = try progress.isSettled
    while try !progress.isSettled {
      guard Moment.seconds(since: start) < Self.patience else { throw BenchError("the message does not end") }
      usleep(20_000)
    }
    let pace = Text.number(Double(max(0, meanwhile)) / seconds)
    let note =
      hasEnded ? "the message to everyone ENDED BEFORE: take more installations" : "which got \(pace)/s meanwhile"
    return try figures(sent, "beside a message to \(options.installations)", note: note)
  }

  private func figures(_ sent: [SinglesLoad.Sent], _ circumstance: String, note: String) throws(BenchError) -> [Figure]
  {
    let arrivals = try NotedArrivals(stage.checkingSimulator)
    var delays: [Double] = []
    var (first, last) = (Int64.max, Int64.min)
    for message in sent {
      let at = try arrivals.time(of: message.messageID, token: message.token, patience: 30)
      delays.append(Double(at - message.at) / 1_000)
      (first, last) = (min(first, message.at), max(last, at))
    }
    let arrival = Percentiles(delays)
    let answer = Percentiles(sent.map { Double($0.answeredAt - $0.at) / 1_000 })
    let name = "one-device messages \(circumstance)"
    return [
      Figure(name, Double(sent.count) * 1e6 / Double(last - first), "/s", note: note),
      Figure("\(name), create → push service, p50", arrival[0.5], "ms", target: .below(10)),
      Figure(
        "\(name), create → push service, p99", arrival[0.99], "ms", target: .below(50),
        note: "longest \(Text.number(arrival[1])) ms"),
      Figure("\(name), create → answer, p50", answer[0.5], "ms", note: "p99 \(Text.number(answer[0.99])) ms"),
    ]
  }
}
