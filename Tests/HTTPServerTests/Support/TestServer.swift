@testable import HTTPServer

/// A running server for one test, on a port of its own.
struct TestServer: Sendable {
  let server: Server
  let events: EventLog
  let port: Int

  func client() throws -> RawClient { try RawClient(port: port) }

  /// Sends bytes on a new connection, ends the sending side, and reads all answers.
  func exchange(_ text: String) throws -> [RawClient.Answer] { try exchange(Array(text.utf8)) }

  func exchange(_ bytes: [UInt8]) throws -> [RawClient.Answer] {
    let client = try client()
    // The server may close before everything is sent; what it answered is what counts.
    try? client.send(bytes)
    client.finishSending()
    return try client.answers()
  }

  /// Blocking clients run on a thread of their own: Swift's threads are needed by the handlers.
  static func run<Result: Sendable>(
    _ routes: [Route] = standardRoutes, limits: ServerLimits = ServerLimits(), threads: Int = 2,
    _ body: @escaping @Sendable (TestServer) throws -> Result
  ) async throws -> Result {
    let running = try start(routes, limits: limits, threads: threads)
    do {
      let result = try await onThread { try body(running) }
      await running.server.stop(grace: .seconds(10))
      return result
    } catch {
      await running.server.stop(grace: .zero)
      throw error
    }
  }

  static func start(
    _ routes: [Route] = standardRoutes, limits: ServerLimits = ServerLimits(), threads: Int = 2
  ) throws -> TestServer {
    let events = EventLog()
    let server = Server(
      ServerConfiguration(threads: threads, limits: limits), router: Router(routes, fault: problem),
      observe: { events.append($0) })
    try server.start()
    return TestServer(server: server, events: events, port: server.port)
  }

  static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.start { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  static let problem: @Sendable (HTTPFault, String) -> Response = { fault, requestID in
    Response(
      status: fault.status, headers: Headers([("Content-Type", "application/problem+json")]),
      body: Array("{\"fault\":\"\(fault)\",\"request_id\":\"\(requestID)\"}".utf8))
  }

  static func text(_ text: String) -> Response { Response(status: 200, body: Array(text.utf8)) }

  static let standardRoutes: [Route] = [
    Route(.get, "/ping") { _ in text("pong") },
    Route(.get, "/items/{id}") { text("item " + $0.parameters["id"]) },
    Route(.get, "/query") { text($0.head.query.map { "\($0.name)=\($0.value)" }.joined(separator: "|")) },
    Route(.post, "/echo", bodyLimit: 1_000, body: .any) { Response(status: 200, body: $0.body) },
    Route(.post, "/json", body: .json()) { Response(status: 200, body: $0.body) },
    Route(.delete, "/items/{id}") { _ in Response(status: 204) },
  ]
}
