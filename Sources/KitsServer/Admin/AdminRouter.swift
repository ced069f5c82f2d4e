internal import HTTPServer

/// The routes of the admin address.
enum AdminRouter {
  /// Probes and one scraper need few connections; whoever reaches this port by mistake gets no more.
  static var limits: ServerLimits {
    var limits = ServerLimits()
    limits.connections = 64
    limits.concurrentRequests = 32
    limits.headDeadline = .seconds(5)
    limits.idleDeadline = .seconds(30)
    return limits
  }

  static let drain = Duration.seconds(1)

  static func make(_ readiness: Readiness, _ registry: MetricsRegistry) -> Router {
    let routes = [
      Route(.get, "/healthz") { _ in response(.alive) },
      Route(.get, "/readyz") { _ in response(.readiness(await readiness.reasons())) },
      Route(.get, "/metrics") { _ in response(.metrics(registry)) },
    ]
    return Router(routes) { fault, _ in response(.fault(status: fault.status)) }
  }

  private static func response(_ answer: AdminAnswer) -> Response {
    var headers = Headers()
    headers.set("Content-Type", answer.contentType)
    headers.set("Cache-Control", "no-store")
    return Response(status: answer.status, headers: headers, body: Array(answer.body.utf8))
  }
}
