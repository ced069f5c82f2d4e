/// `kits serve`
enum Serve {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let config = try Settings.all(invocation)
    let only = invocation.arguments.value("only").flatMap(Node.Part.init(rawValue:))
    let telemetry = Telemetry(level: config.logLevel)
    defer { telemetry.flush() }
    if let limit = OpenFiles.raiseLimit() {
      telemetry.log(.debug, "open_files_limit", [("limit", .integer(Int(clamping: limit)))])
    }
    let node = try Node(config, parts: only.map { [$0] } ?? Node.Part.allCases, telemetry)
    try await node.run(until: Signals.shutdown())
  }
}
