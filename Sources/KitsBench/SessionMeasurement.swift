import Foundation

/// Session reports over HTTP, and pgbench doing the same to one row at a time, in turn in slices of time.
struct SessionMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let clients = 64

  func run() throws(BenchError) -> [Figure] {
    let app = try stage.keys(.sessions)
    var load = try SessionLoad(stage: stage, clients: Self.clients)
    let count = Self.clients * SessionLoad.devicesPerClient
    try stage.database.rows(LoginScript.installations(count, app: app.number))
    try stage.database.rows("VACUUM ANALYZE installation")
    let script = stage.directory + "/session.sql"
    try TextFile.write(SessionScript.text(count, app: app.number), to: script)
    _ = try load.run(clients: 16, seconds: 1)
    Progress.say("sessions, \(Self.clients) clients")
    let figures = try compare(&load, script)
    try load.check()
    return figures
  }

  private func compare(_ load: inout SessionLoad, _ script: String) throws(BenchError) -> [Figure] {
    let slice = max(1, options.seconds / options.rounds)
    var http = RegistrationLoad.Result()
    var (rate, rowCPU, httpCPU, serverCPU) = (0.0, 0.0, 0.0, 0.0)
    for _ in 0..<options.rounds {
      let before = stage.databaseCPUSeconds + Child.endedCPUSeconds
      rate += try stage.whileConnecting { () throws(BenchError) in
        try stage.pgbench(script, clients: Self.clients, seconds: slice)
      }
      rowCPU += stage.databaseCPUSeconds + Child.endedCPUSeconds - before
      let server = stage.server.cpuSeconds
      let start = stage.databaseCPUSeconds + Child.ownCPUSeconds + server
      http += try load.run(clients: Self.clients, seconds: Double(slice))
      serverCPU += stage.server.cpuSeconds - server
      httpCPU += stage.databaseCPUSeconds + Child.ownCPUSeconds + stage.server.cpuSeconds - start
    }
    guard http.count > 0, rate > 0 else { throw BenchError("no session was answered") }
    let latency = Percentiles(http.latencies.lazy.map { Double($0) / 1_000 })
    let each = 1e5 / Double(http.count)
    let name = "sessions, \(Self.clients) clients"
    return [
      Figure(
        name, Double(http.count) / http.seconds, "/s", against: rate / Double(options.rounds), "pgbench, one statement",
        target: .atLeast(1.3), note: "p50 \(Text.number(latency[0.5])) ms, p99 \(Text.number(latency[0.99])) ms"),
      Figure(
        "\(name), CPU of all per 100 k", httpCPU * each, "s", against: rowCPU * 1e5 / (rate * Double(slice)),
        "pgbench and database", note: "the server alone \(Text.number(serverCPU * each))"),
    ]
  }
}
