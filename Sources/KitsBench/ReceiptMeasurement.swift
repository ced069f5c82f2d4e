/// Receipts over HTTP, and pgbench doing the same to one row at a time, in turn in slices of time: of a thousand
/// messages, where rows of the counts are rarely wanted twice at once, and of one, as when a whole audience answers.
struct ReceiptMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let clients = 64
  private static let spreads = [1_000, 1]
  private static let milliseconds = 100.0
  /// Numbers of messages that one spread may use.
  private static let numbersPerSpread = 1_000_000

  func run() throws(BenchError) -> [Figure] {
    let app = try stage.keys(.receipts).number
    try stage.database.rows(ReceiptScript.devices(app: app))
    try stage.database.rows("VACUUM ANALYZE installation")
    let first = try stage.database.number("SELECT (extract(epoch FROM now()) * 1000)::bigint << 22")
    var load = try ReceiptLoad(stage: stage, app: app, firstMessage: first)
    _ = try load.run(clients: 16, seconds: 1, from: 3 * Self.numbersPerSpread)
    var figures: [Figure] = []
    for (place, messages) in Self.spreads.enumerated() {
      Progress.say("receipts of \(messages) messages, \(Self.clients) clients")
      load.spread(over: messages)
      figures += try compare(messages, &load, app: app, first: first, place: place * Self.numbersPerSpread)
    }
    return figures
  }

  private func compare(
    _ messages: Int, _ load: inout ReceiptLoad, app: Int, first: Int, place: Int
  ) throws(BenchError) -> [Figure] {
    let script = stage.directory + "/receipts-\(messages).sql"
    // Messages of its own, far from those that are told of over HTTP.
    let own = first + place + Self.numbersPerSpread / 2
    try TextFile.write(ReceiptScript.text(app: app, first: own, messages: messages), to: script)
    let slice = max(1, options.seconds / options.rounds)
    var http = RegistrationLoad.Result()
    var rate = 0.0
    for _ in 0..<options.rounds {
      rate += try stage.pgbench(script, clients: Self.clients, seconds: slice)
      http += try load.run(clients: Self.clients, seconds: Double(slice), from: place)
    }
    guard http.count > 0, rate > 0 else { throw BenchError("no receipt was answered") }
    try check(app: app, from: first + place, told: load.told)
    let latency = Percentiles(http.latencies.lazy.map { Double($0) / 1_000 })
    let name = "receipts of \(messages == 1 ? "one message" : "\(messages) messages"), \(Self.clients) clients"
    return [
      Figure(
        name, Double(http.count) / http.seconds, "/s", against: rate / Double(options.rounds), "pgbench, one statement",
        target: .atLeast(1.3), note: "p50 \(Text.number(latency[0.5])) ms"),
      Figure("\(name), p99", latency[0.99], "ms", target: .below(Self.milliseconds)),
    ]
  }

  /// Every receipt that was answered is there, and counted once.
  private func check(app: Int, from first: Int, told: Int) throws(BenchError) {
    let range = "app_no = \(app) AND message_no >= \(first) AND message_no < \(first + Self.numbersPerSpread / 2)"
    let kept = try stage.database.number("SELECT count(*) FROM notification_event WHERE \(range)")
    let counted = try stage.database.number("SELECT coalesce(sum(count), 0)::bigint FROM event_hour WHERE \(range)")
    guard kept == told, counted == told else {
      throw BenchError("\(told) receipts were answered, \(kept) are kept and \(counted) counted")
    }
  }
}
