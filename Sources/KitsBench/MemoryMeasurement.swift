/// Resident memory of the server over a message to a million.
struct MemoryMeasurement {
  let stage: Stage
  let options: BenchOptions

  func run() throws(BenchError) -> [Figure] {
    let count = max(options.memoryInstallations, options.installations)
    try Audience(stage: stage, app: .counted).load(count)
    Progress.say("memory, a message to \(count)")
    let result = try Fanout(stage: stage, count: count).run()
    return [
      Figure(
        "memory of the server, peak over \(count) deliveries", result.peakMiB * 1.048576, "MB", target: .below(150),
        note: "at \(Text.number(result.rate))/s, \(Text.number(result.logBytes / Double(count))) bytes of log each")
    ]
  }
}
