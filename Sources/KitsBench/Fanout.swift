import Foundation

/// A message to everyone, from its first request at the push service to its last outcome in the database.
struct Fanout {
  let stage: Stage
  let count: Int

  /// CPU seconds and bytes are of the whole message; `per100k` scales them.
  struct Result {
    let count: Int
    let seconds: Double
    let serverCPU: Double
    let databaseCPU: Double
    let simulatorCPU: Double
    /// Of the write-ahead log.
    let logBytes: Double
    let peakMiB: Double

    var rate: Double { Double(count) / seconds }
    func per100k(_ value: Double) -> Double { value * 1e5 / Double(count) }
  }

  private static let patience = 900.0

  func run() throws(BenchError) -> Result {
    let keys = try stage.keys(.counted)
    let simulator = stage.simulator
    let before = try simulator.count("received")
    let log = try stage.database.value("SELECT pg_current_wal_lsn()")
    let cpu = (stage.server.cpuSeconds, stage.databaseCPUSeconds, simulator.child.cpuSeconds)
    let id = try MessageCalls(stage, .counted).create(target: #"{"everyone":true}"#)
    let first = try HTTPWire(port: simulator.adminPort).call("GET", "/wait?received=\(before + 1)&timeout_ms=60000")
    guard first.status == 200 else { throw BenchError("nothing reached the simulator within a minute") }
    let start = Moment.monotonic
    let progress = MessageProgress(database: stage.database, app: keys.number, id: id)
    var peak = stage.server.residentMiB
    while try !progress.isSettled {
      guard Moment.seconds(since: start) < Self.patience else { throw BenchError("the message does not end") }
      peak = max(peak, stage.server.residentMiB)
      usleep(10_000)
    }
    let result = Result(
      count: count, seconds: Moment.seconds(since: start), serverCPU: stage.server.cpuSeconds - cpu.0,
      databaseCPU: stage.databaseCPUSeconds - cpu.1, simulatorCPU: simulator.child.cpuSeconds - cpu.2,
      logBytes: Double(try stage.database.number("SELECT pg_current_wal_lsn() - '\(log)'::pg_lsn")), peakMiB: peak)
    let accepted = try progress.accepted
    let received = try simulator.count("received") - before
    guard accepted == count, received == count else {
      throw BenchError("\(count) targeted, \(accepted) accepted, \(received) at the simulator")
    }
    return result
  }
}
