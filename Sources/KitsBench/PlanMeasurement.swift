import Foundation

/// Looking up the recipients of a message to everyone, while nothing is sent: the simulator is stopped for so long.
/// Against psql running the same SELECT.
struct PlanMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let patience = 300.0

  func run() throws(BenchError) -> [Figure] {
    try Audience(stage: stage, app: .counted).load(options.installations)
    var planned: [Double] = []
    var selected: [Double] = []
    for number in 1...options.rounds {
      Progress.say("plan, round \(number)")
      planned.append(try plan())
      selected.append(try select())
    }
    return [
      Figure(
        "planned recipients", Percentiles(planned)[0.5], "/s", against: Percentiles(selected)[0.5],
        "the SELECT in psql", target: .atLeast(0.5),
        note: "\(options.installations) recipients, median of \(options.rounds) rounds each")
    ]
  }

  private func plan() throws(BenchError) -> Double {
    let calls = try MessageCalls(stage, .counted)
    stage.simulator.child.signal(SIGSTOP)
    defer { stage.simulator.child.signal(SIGCONT) }
    let start = Moment.monotonic
    let id = try calls.create(target: #"{"everyone":true}"#)
    let progress = MessageProgress(database: stage.database, app: try stage.keys(.counted).number, id: id)
    while try !progress.isPlanned {
      guard Moment.seconds(since: start) < Self.patience else { throw BenchError("planning does not end") }
      usleep(5_000)
    }
    let seconds = Moment.seconds(since: start)
    let count = try progress.planned
    guard count == options.installations else { throw BenchError("\(count) planned of \(options.installations)") }
    try calls.cancel(id)
    stage.simulator.child.signal(SIGCONT)
    while try !progress.isSettled {
      guard Moment.seconds(since: start) < Self.patience else { throw BenchError("a canceled message does not end") }
      usleep(10_000)
    }
    return Double(count) / seconds
  }

  private func select() throws(BenchError) -> Double {
    let app = try stage.keys(.counted).number
    let script = """
      \\o /dev/null
      \\timing on
      SELECT i.installation_no, i.binding_number
      FROM installation i
      JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
      WHERE i.app_no = \(app) AND i.reachable
      ORDER BY i.installation_no;

      """
    let text = try Child.output(of: stage.psql, input: script)
    // "Time: 123.456 ms (00:00.123)"
    for line in text.split(separator: "\n") where line.hasPrefix("Time: ") {
      if let milliseconds = Double(line.split(separator: " ")[1]) {
        return Double(options.installations) * 1_000 / milliseconds
      }
    }
    throw BenchError("psql printed no time: \(text)")
  }
}
