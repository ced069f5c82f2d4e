import Foundation

/// Registrations over HTTP, and pgbench writing the same rows, in turn in slices of time.
struct RegisterMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let clients = [1, 16, 64]
  private static let targets: [Int: Target] = [16: .atLeast(1.0), 64: .atLeast(1.5)]

  func run() throws(BenchError) -> [Figure] {
    let app = try stage.app(.register)
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

  private func compare(
    _ clients: Int, _ load: RegistrationLoad, _ scripts: [RowScript: String]
  ) throws(BenchError) -> [Figure] {
    let slice = max(1, options.seconds / options.rounds)
    var http = RegistrationLoad.Result()
    var rows: [RowScript: Double] = [:]
    var cpu = 0.0
    for _ in 0..<options.rounds {
      for (script, path) in scripts {
        rows[script, default: 0] += try pgbench(path, clients: clients, seconds: slice) / Double(options.rounds)
      }
      let before = stage.server.cpuSeconds
      http += try load.run(clients: clients, seconds: Double(slice))
      cpu += stage.server.cpuSeconds - before
    }
    guard let best = rows.max(by: { $0.value < $1.value }) else { return [] }
    let rate = Double(http.count) / http.seconds
    let other = rows.filter { $0.key != best.key }.map { "\($0.key.rawValue): \(Int($0.value))" }
    let latency = Percentiles(http.latencies.lazy.map { Double($0) / 1_000 })
    return [
      Figure(
        "register, \(clients) \(clients == 1 ? "client" : "clients")", rate, "/s", against: best.value,
        "pgbench, \(best.key.rawValue)", target: Self.targets[clients],
        note: "\(other.joined()); CPU \(Text.number(cpu * 1e5 / Double(max(1, http.count)))) s per 100 k"),
      Figure(
        "register, \(clients) \(clients == 1 ? "client" : "clients"), p50", latency[0.5], "ms",
        target: clients == 1 ? .below(1) : nil,
        note: "p99 \(Text.number(latency[0.99])) ms"),
    ]
  }

  private func pgbench(_ script: String, clients: Int, seconds: Int) throws(BenchError) -> Double {
    let text = try Child.output(of: [
      "pgbench", "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=\(min(2, clients))",
      "--time=\(seconds)", "--file=\(script)", stage.databaseURL,
    ])
    for line in text.split(separator: "\n") where line.hasPrefix("tps = ") {
      if let rate = Double(line.split(separator: " ")[2]) { return rate }
    }
    throw BenchError("pgbench printed no rate: \(text)")
  }
}
