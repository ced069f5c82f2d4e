import HTTPClient

/// Requests whose bodies are names.
struct TestRequests: RequestSource {
  let names: [String]
  var judge: @Sendable (HTTPResponse) -> ConnectionVerdict = { $0.status == 200 ? .widen : .hold }

  init(_ names: [String]) { self.names = names }
  init(_ prefix: String, _ count: Int) { names = (0..<count).map { "\(prefix)\($0)" } }

  var count: Int { names.count }

  func write(_ index: Int, to writer: RequestWriter) {
    writer.path("/3/device/", "00ff")
    writer.header("apns-expiration", Int64(0))
    writer.header("content-type", "application/json")
    writer.body(Array(names[index].utf8))
  }

  func verdict(_ index: Int, _ response: HTTPResponse) -> ConnectionVerdict { judge(response) }
}

extension HTTP2Configuration {
  /// Quick limits for tests.
  static func quick(_ change: (inout HTTP2Configuration) -> Void = { _ in }) -> HTTP2Configuration {
    var configuration = HTTP2Configuration()
    configuration.loopThreads = 1
    configuration.connectionsPerPool = 1
    configuration.connectInterval = .milliseconds(20)
    configuration.connectBackoffLimit = .milliseconds(100)
    configuration.requestDeadline = .seconds(30)
    configuration.stopGrace = .milliseconds(200)
    configuration.heldBack = .milliseconds(500)
    configuration.tls.anchors = TLSSocket.anchors
    change(&configuration)
    return configuration
  }
}

extension HTTPOutcome {
  static let ok = HTTPOutcome.response(HTTPResponse(status: 200, body: []))
  var status: Int? {
    if case .response(let response) = self { response.status } else { nil }
  }
}

/// Sends to a scripted server and stops everything afterwards.
func withClient<Result>(
  _ server: ScriptedServer, _ configuration: HTTP2Configuration = .quick(),
  _ body: (ConnectionPool) async throws -> Result
) async throws -> Result {
  let client = try HTTP2Client(configuration)
  let pool = client.makePool("test", origin: try server.origin)
  let result = try await body(pool)
  await client.stop()
  server.stop()
  return result
}
