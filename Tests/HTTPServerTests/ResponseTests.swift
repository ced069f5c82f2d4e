import Testing

@testable import HTTPServer

@Suite("Responses")
struct ResponseTests {
  static func get(_ path: String, _ fields: String = "", method: String = "GET") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  static func answer(_ routes: [Route] = TestServer.standardRoutes, to request: String) async throws -> (
    RawClient.Answer?, EventLog
  ) {
    try await TestServer.run(routes) { server in
      let client = try server.client()
      try client.send(request)
      let answer = try client.answer(toHead: request.hasPrefix("HEAD"))
      #expect(server.events.waitForAnswered(1))
      return Unchecked((answer, server.events))
    }.value
  }

  @Test(
    "405 names the methods in Allow, HEAD with GET", arguments: [("/items/1", "GET, HEAD, DELETE"), ("/echo", "POST")])
  func allow(path: String, allow: String) async throws {
    let (answer, _) = try await Self.answer(to: Self.get(path, method: "PATCH"))
    #expect(answer?.status == 405)
    #expect(answer?.first("Allow") == allow)
  }

  @Test("HEAD answers a GET route with its length and no body")
  func head() async throws {
    let (answer, _) = try await Self.answer(to: Self.get("/ping", method: "HEAD"))
    #expect(answer?.status == 200)
    #expect(answer?.first("Content-Length") == "4")
    #expect(answer?.body == [])
  }

  @Test("204 has no body and no Content-Length")
  func noContent() async throws {
    let (answer, _) = try await Self.answer(to: Self.get("/items/1", method: "DELETE"))
    #expect(answer?.status == 204)
    #expect(answer?.first("Content-Length") == nil)
  }

  @Test(
    "A valid X-Request-Id comes back, anything else is replaced",
    arguments: [
      ("abc-1._Z", true), (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
      ("a b", false), ("a\u{e9}", false), ("", false),
    ])
  func requestID(id: String, isKept: Bool) async throws {
    for path in ["/ping", "/nowhere"] {
      let (answer, events) = try await Self.answer(to: Self.get(path, "X-Request-Id: \(id)\r\n"))
      let sent = answer?.headers.filter { $0.name == "X-Request-Id" }.map(\.value) ?? []
      #expect(sent.count == 1)
      #expect((sent.first == id) == isKept)
      #expect(sent.first.map(RequestIDs.isValid) == true)
      #expect(events.answered.first?.requestID == sent.first)
    }
  }

  @Test(
    "T13: a response field with a control byte, or one that is the server's, is dropped and told to the observer",
    arguments: [
      ("Location", "/a\r\nX-Evil: 1"), ("Location", "/a\nX-Evil: 1"), ("Location", "a\0b"), ("X-Bad", "a\u{7f}"),
      ("X-Bad", "a\tb"), ("Bad Name", "x"), ("Bad\r\nX-Evil", "x"), ("", "x"), ("Content-Length", "1"),
      ("transfer-encoding", "chunked"), ("X-Request-Id", "forged"),
    ])
  func injected(name: String, value: String) async throws {
    let route = Route(.get, "/") { _ in
      Response(status: 200, headers: Headers([(name, value), ("X-Good", "kept")]), body: [0x6f, 0x6b])
    }
    let (answer, events) = try await Self.answer([route], to: Self.get("/"))
    #expect(answer?.status == 200)
    #expect(answer?.text == "ok")
    #expect(answer?.first("X-Evil") == nil)
    #expect(answer?.first("X-Good") == "kept")
    #expect(events.all.contains { if case .fieldDropped = $0 { true } else { false } })
  }

  @Test("A status that is none becomes 500", arguments: [0, 100, 199, 600, 1_000])
  func status(status: Int) async throws {
    let (answer, _) = try await Self.answer([Route(.get, "/") { _ in Response(status: status) }], to: Self.get("/"))
    #expect(answer?.status == 500)
  }

  @Test("Every answered request is told once, with the pattern instead of the path")
  func told() async throws {
    let (_, events) = try await Self.answer(to: Self.get("/items/secret?token=1"))
    let told = try #require(events.answered.first)
    #expect(told.pattern == "/items/{id}")
    #expect(told.method == .get)
    #expect(told.status == 200)
    #expect(told.responseBytes == 11)
    #expect(told.remoteAddress == "127.0.0.1")
    #expect(told.isComplete)
    #expect(events.answered.count == 1)
  }
}
