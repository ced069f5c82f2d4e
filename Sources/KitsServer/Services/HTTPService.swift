internal import HTTPServer

/// A listening address as a service: bound in `start()`, drained in `stop()`.
final class HTTPService: Service {
  let name: String
  private let server: Server
  private let drain: Duration
  /// Finished by `stop()`, awaited by `run()`.
  private let (ended, end) = AsyncStream.makeStream(of: Void.self)

  /// - Parameter drain: how long running requests may take once the service stops.
  init(
    name: String, listen: SocketAddress, limits: ServerLimits, threads: Int = 1, drain: Duration, router: Router,
    telemetry: Telemetry
  ) {
    self.name = name
    self.drain = drain
    server = Server(
      ServerConfiguration(host: listen.host, port: Int(listen.port), threads: threads, limits: limits),
      router: router, observe: telemetry.httpObserver(listener: name))
  }

  /// The port in use, also when any free one was asked for; 0 while not listening.
  var port: Int { server.port }

  var connectionCount: Int { server.connectionCount }

  func start() async throws {
    try server.start()
  }

  func run() async throws {
    for await _ in ended {}
  }

  func stop() async {
    await server.stop(grace: drain)
    end.finish()
  }
}
