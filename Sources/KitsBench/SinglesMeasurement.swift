import Foundation

/// Thousands of messages to one device each, alone and while a message to everyone of the same app goes out over the
/// same connections. As fast as it goes tells how many there can be; at a pace, how long one takes when they don't
/// queue behind each other.
struct SinglesMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let count = 5_000
  private static let warmUp = 500
  private static let clients = 16
  /// Messages a second.
  private static let pace = 500
  private static let patience = 300.0

  func run() throws(BenchError) -> [Figure] {
    try Audience(stage: stage, app: .noted).load(options.installations)
    _ = try load(Self.warmUp, pace: nil).run()
    var figures: [Figure] = []
    for pace in [nil, Self.pace] {
      Progress.say("singles, alone, \(Self.describe(pace))")
      try stage.checkingSimulator.reset()
      figures += try self.figures(load(Self.count, pace: pace).run(), pace, "", note: "")
      Progress.say("singles, beside a message to everyone, \(Self.describe(pace))")
      figures += try besideFanout(pace)
    }
    return figures
  }

  private func load(_ count: Int, pace: Int?) throws(BenchError) -> SinglesLoad {
    SinglesLoad(
      stage: stage, devices: try Audience(stage: stage, app: .noted).devices(count), clients: Self.clients, pace: pace)
  }

  private func besideFanout(_ pace: Int?) throws(BenchError) -> [Figure] {
    let simulator = stage.checkingSimulator
    try simulator.reset()
    let load = try self.load(Self.count, pace: pace)
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
    let note =
      hasEnded
      ? "the message to everyone ENDED BEFORE: take more installations"
      : "the message to \(options.installations) got \(Text.number(Double(max(0, meanwhile)) / seconds))/s meanwhile"
    return try figures(sent, pace, " beside bulk", note: note)
  }

  private func figures(
    _ sent: [SinglesLoad.Sent], _ pace: Int?, _ circumstance: String, note: String
  ) throws(BenchError) -> [Figure] {
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
    let name = "singles, \(Self.describe(pace))\(circumstance)"
    let rate = Double(sent.count) * 1e6 / Double(last - first)
    let isPaced = pace != nil
    return [
      Figure(
        name, rate, "/s", note: ["\(sent.count) messages", note].filter { !$0.isEmpty }.joined(separator: "; ")),
      Figure("\(name), create → push service, p50", arrival[0.5], "ms", target: isPaced ? .below(10) : nil),
      Figure(
        "\(name), create → push service, p99", arrival[0.99], "ms", target: isPaced ? .below(50) : nil,
        note: "longest \(Text.number(arrival[1])) ms"),
      Figure("\(name), create → answer, p50", answer[0.5], "ms", note: "p99 \(Text.number(answer[0.99])) ms"),
    ]
  }

  private static func describe(_ pace: Int?) -> String {
    pace.map { "\($0)/s" } ?? "\(clients) clients"
  }
}
