/// `kits serve`
enum Serve {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let config: Config
    do { config = try Config.parse(invocation.environment) } catch { throw CommandFailure.configuration(error) }
    let telemetry = Telemetry(level: config.logLevel)
    defer { telemetry.flush() }
    ProcessMetrics.register(in: telemetry.metrics)
    let readiness = Readiness()
    let admin = HTTPService(
      name: "admin", listen: config.admin.listen, limits: AdminRouter.limits, drain: AdminRouter.drain,
      router: AdminRouter.make(readiness, telemetry.metrics), telemetry: telemetry)
    // First in, last out: probes get an answer during the whole start and the whole drain.
    let group = ServiceGroup(services: [admin], drain: config.drain) { event in
      if event.endsReadiness { readiness.drain() }
      telemetry.record(event)
    }
    let code = await group.run(until: Signals.shutdown())
    if code != .success { throw CommandFailure(code: code, message: "a service failed; the log says which") }
  }
}
