/// `kits serve`
enum Serve {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let config: Config
    do { config = try Config.parse(invocation.environment) } catch { throw CommandFailure.configuration(error) }
    let telemetry = Telemetry(level: config.logLevel)
    defer { telemetry.flush() }
    ProcessMetrics.register(in: telemetry.metrics)
    let group = ServiceGroup(services: [], drain: config.drain) { telemetry.record($0) }
    let code = await group.run(until: Signals.shutdown())
    if code != .success { throw CommandFailure(code: code, message: "a service failed; the log says which") }
  }
}
