import Foundation
import JSON

/// Measures and prints.
enum Program {
  static func run(_ arguments: [String]) -> Int32 {
    // A connection that the other side closed is an answer, not the end of this program.
    signal(SIGPIPE, SIG_IGN)
    let options: BenchOptions
    do {
      options = try BenchOptions(arguments)
    } catch {
      Progress.say("kits-bench: \(error)")
      return 64
    }
    if options.wantsHelp {
      print(BenchOptions.help)
      return 0
    }
    do {
      try measure(options)
      return 0
    } catch {
      Progress.say("kits-bench: \(error)")
      return 1
    }
  }

  private static func measure(_ options: BenchOptions) throws(BenchError) {
    Progress.say("starting PostgreSQL, simulators and the server")
    let stage = try Stage()
    defer { stage.close() }
    let machine = try Machine(stage.database)
    var figures: [Figure] = []
    if options.parts.contains(.register) {
      figures += try RegisterMeasurement(stage: stage, options: options).run()
    }
    if options.parts.contains(.delivery) {
      figures += try DeliveryMeasurement(stage: stage, options: options).run()
    }
    if options.parts.contains(.latency) { figures += try LatencyMeasurement(stage: stage).run() }
    if options.parts.contains(.plan) { figures += try PlanMeasurement(stage: stage, options: options).run() }
    if options.parts.contains(.verify) { figures += try VerifyMeasurement(options: options).run() }
    let report = Report(machine: machine, figures: figures)
    print(report.text)
    if let file = options.jsonFile { try TextFile.write(String(decoding: report.json, as: UTF8.self), to: file) }
    if options.keepsRunning {
      Progress.say("\(stage.addresses)\nPress Return to end it all.")
      _ = readLine()
    }
  }
}
