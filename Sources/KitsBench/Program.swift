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
    for part in Part.allCases where options.parts.contains(part) {
      let start = Moment.monotonic
      figures += try Self.figures(of: part, stage, options)
      Progress.say("\(part) took \(Text.number(Moment.seconds(since: start))) s")
    }
    let report = Report(machine: machine, figures: figures)
    print(report.text)
    if let file = options.jsonFile { try TextFile.write(String(decoding: report.json, as: UTF8.self), to: file) }
    if options.keepsRunning {
      Progress.say("\(stage.addresses)\nPress Return to end it all.")
      _ = readLine()
    }
  }

  private static func figures(
    of part: Part, _ stage: Stage, _ options: BenchOptions
  ) throws(BenchError) -> [Figure] {
    switch part {
    case .register: try RegisterMeasurement(stage: stage, options: options).run()
    case .identity: try IdentityMeasurement(stage: stage, options: options).run()
    case .receipts: try ReceiptMeasurement(stage: stage, options: options).run()
    case .sessions: try SessionMeasurement(stage: stage, options: options).run()
    case .import: try ImportMeasurement(stage: stage, options: options).run()
    case .delivery: try DeliveryMeasurement(stage: stage, options: options).run()
    case .peers: try PeerMeasurement(stage: stage, options: options).run()
    case .latency: try LatencyMeasurement(stage: stage).run()
    case .singles: try SinglesMeasurement(stage: stage, options: options).run()
    case .plan: try PlanMeasurement(stage: stage, options: options).run()
    case .preview: try PreviewMeasurement(stage: stage, options: options).run()
    case .webhooks: try WebhookMeasurement(stage: stage, options: options).run()
    case .memory: try MemoryMeasurement(stage: stage, options: options).run()
    case .kill: try KillMeasurement(stage: stage, options: options).run()
    case .verify: try VerifyMeasurement(options: options).run()
    }
  }
}
