import Foundation

/// Registrations over HTTP, and pgbench writing the same rows, in turn in slices of time.
struct RegisterMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let clients = [1, 16, 64]
  private static let targets: [Int: Target] = [16: .atLeast(1.0), 64: .atLeast(1.5)]

  func run() throws(BenchError) -> [Figure] {
    let app = try stage.keys(.registrations)
    let load = RegistrationLoad(
      template: RegistrationRequest(publicKey: app.publicKey, port: stage.apiPort), port: stage.apiPort)
    var scripts: [RowScript: String] = [:]
    for script in RowScript.allCases {
      let path = "\(stage.directory)/\(script).sql"
      try TextFile.write(script.text(app: app.number), to: path)
      scripts[script] = path
    }
    _ = try load.run(clients: 16, seconds: 1)
    var figures: [Figure] = []
    for clients in Self.clients {
      Progress.say("register, \(clients) clients")
      figures += try compare(clients, load, scripts)
    }
    return figures
  }

  /// Of one number of clients. Seconds are of CPU, of all processes that take part.
  private struct Tally {
    var http = RegistrationLoad.Result()
    var httpCPU = 0.0
    var serverCPU = 0.0
    var rows: [RowScript: (rate: Double, cpu: Double)] = [:]
  }

  private func compare(
    _ clients: Int, _ load: RegistrationLoad, _ scripts: [RowScript: String]
  ) throws(BenchError) -> [Figure] {
    let slice = max(1, options.seconds / options.rounds)
    var tally = Tally()
    for _ in 0..<options.rounds {
      for (script, path) in scripts {
        let before = stage.databaseCPUSeconds + Child.endedCPUSeconds
        let rate = try stage.whileConnecting { () throws(BenchError) in
          try stage.pgbench(path, clients: clients, seconds: slice)
        }
        let spent = stage.databaseCPUSeconds + Child.endedCPUSeconds - before
        tally.rows[script, default: (0, 0)].rate += rate / Double(options.rounds)
        tally.rows[script, default: (0, 0)].cpu += spent
      }
      let server = stage.server.cpuSeconds
      let before = stage.databaseCPUSeconds + Child.ownCPUSeconds + server
      tally.http += try load.run(clients: clients, seconds: Double(slice))
      tally.serverCPU += stage.server.cpuSeconds - server
      tally.httpCPU += stage.databaseCPUSeconds + Child.ownCPUSeconds + stage.server.cpuSeconds - before
    }
    return figures(clients, tally, seconds: Double(slice * options.rounds))
  }

  private func figures(_ clients: Int, _ tally: Tally, seconds: Double) -> [Figure] {
    guard let best = tally.rows.max(by: { $0.value.rate < $1.value.rate }), tally.http.count > 0 else { return [] }
    let name = "register, \(clients) \(clients == 1 ? "client" : "clients")"
    let slower = tally.rows.filter { $0.key != best.key }.map { "\($0.key.rawValue): \(Int($0.value.rate))" }
    let latency = Percentiles(tally.http.latencies.lazy.map { Double($0) / 1_000 })
    let each = 1e5 / Double(tally.http.count)
    return [
      Figure(
        name, Double(tally.http.count) / tally.http.seconds, "/s", against: best.value.rate,
        "pgbench, \(best.key.rawValue)", target: Self.targets[clients], note: slower.joined()),
      Figure(
        "\(name), CPU of all per 100 k", tally.httpCPU * each, "s",
        against: best.value.cpu * 1e5 / (best.value.rate * seconds), "pgbench and database",
        note: "the server alone \(Text.number(tally.serverCPU * each))"),
      Figure(
        "\(name), p50", latency[0.5], "ms", target: clients == 1 ? .below(1) : nil,
        note: "p99 \(Text.number(latency[0.99])) ms"),
    ]
  }
}
