import Foundation

/// Looking up the recipients of a message, while nothing is sent: the simulator is stopped for so long. To everyone,
/// and to the audiences that previews are measured with. Against psql running the same SELECT.
struct PlanMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let patience = 300.0

  func run() throws(BenchError) -> [Figure] {
    try Audience(stage: stage, app: .counted).load(options.installations)
    var figures = [
      try measure("planned recipients", target: #"{"everyone":true}"#, condition: "TRUE", of: .counted)
    ]
    let count = max(options.memoryInstallations, options.installations)
    let previews = PreviewMeasurement(stage: stage, options: options)
    try previews.load(count)
    for segment in PreviewMeasurement.segments {
      let name = "planned recipients: \(segment.name)"
      figures.append(
        try measure(name, target: #"{"filter":\#(segment.filter)}"#, condition: segment.sql, of: .segmented))
    }
    return figures
  }

  private func measure(
    _ name: String, target: String, condition: String, of app: BenchApp
  ) throws(BenchError) -> Figure {
    var planned: [Double] = []
    var selected: [Double] = []
    var count = 0
    // One more of each, which warms up.
    for round in 0...options.rounds {
      Progress.say("\(name), round \(round)")
      let selection = try select(condition, of: app)
      let plan = try plan(target, of: app)
      guard plan.count == selection.count else {
        throw BenchError("\(name): \(plan.count) planned of \(selection.count)")
      }
      count = plan.count
      if round == 0 { continue }
      planned.append(Double(count) / plan.seconds)
      selected.append(Double(count) / selection.seconds)
    }
    let seconds = (Percentiles(planned)[0.5] > 0) ? Double(count) / Percentiles(planned)[0.5] : 0
    return Figure(
      name, Percentiles(planned)[0.5], "/s", against: Percentiles(selected)[0.5], "the SELECT in psql",
      target: .atLeast(0.5),
      note: "\(count) recipients in \(Text.number(seconds)) s, median of \(options.rounds) rounds each")
  }

  private func plan(_ target: String, of app: BenchApp) throws(BenchError) -> (count: Int, seconds: Double) {
    let calls = try MessageCalls(stage, app)
    stage.simulator.child.signal(SIGSTOP)
    defer { stage.simulator.child.signal(SIGCONT) }
    let start = Moment.monotonic
    let id = try calls.create(target: target)
    let progress = MessageProgress(database: stage.database, app: try stage.keys(app).number, id: id)
    while try !progress.isPlanned {
      guard Moment.seconds(since: start) < Self.patience else { throw BenchError("planning does not end") }
      usleep(5_000)
    }
    let seconds = Moment.seconds(since: start)
    let count = try progress.planned
    try calls.cancel(id)
    stage.simulator.child.signal(SIGCONT)
    while try !progress.isSettled {
      guard Moment.seconds(since: start) < Self.patience else { throw BenchError("a canceled message does not end") }
      usleep(10_000)
    }
    return (count, seconds)
  }

  private func select(_ condition: String, of app: BenchApp) throws(BenchError) -> (count: Int, seconds: Double) {
    let script = """
      \\o /dev/null
      \\timing on
      SELECT i.installation_no, i.binding_number
      FROM installation i
      JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
      WHERE i.app_no = \(try stage.keys(app).number) AND i.reachable AND (\(condition))
      ORDER BY i.installation_no;
      \\echo found :ROW_COUNT

      """
    var seconds: Double?
    var count: Int?
    for line in try Child.output(of: stage.psql, input: script).split(separator: "\n") {
      // "Time: 123.456 ms (00:00.123)" and "found 123"
      if line.hasPrefix("Time: ") { seconds = Double(line.split(separator: " ")[1]).map { $0 / 1_000 } }
      if line.hasPrefix("found ") { count = Int(line.dropFirst(6)) }
    }
    guard let seconds, let count else { throw BenchError("psql printed no time") }
    return (count, seconds)
  }
}
