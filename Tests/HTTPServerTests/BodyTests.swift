import Testing

@testable import HTTPServer

@Suite("The body of a request")
struct BodyTests {
  static func announced(_ path: String, _ body: String, _ fields: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  static func chunked(_ path: String, _ body: String, _ fields: String = "") -> String {
    let half = body.utf8.count / 2
    let pieces = [String(body.prefix(half)), String(body.dropFirst(half))].filter { !$0.isEmpty }
    let chunks = pieces.map { String($0.utf8.count, radix: 16) + "\r\n\($0)\r\n" }.joined()
    return "POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n"
  }

  @Test(
    "At the limit a body passes, announced or chunked; one byte more is 413", arguments: [false, true], [1_000, 1_001])
  func limitEdge(isChunked: Bool, length: Int) async throws {
    let body = String(repeating: "b", count: length)
    let request = isChunked ? Self.chunked("/echo", body) : Self.announced("/echo", body)
    let answer = try await TestServer.run { server in
      let client = try server.client()
      try client.send(request)
      return try client.answer()
    }
    #expect(answer?.status == (length == 1_000 ? 200 : 413))
    #expect(length != 1_000 || answer?.text == body)
  }

  @Test("T6: an announced body over the limit is 413 before one byte of it is sent, then the connection closes")
  func announcedTooLarge() async throws {
    try await TestServer.run { server in
      let client = try server.client()
      try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
      let answer = try client.answer()
      #expect(answer?.status == 413)
      #expect(answer?.text.hasPrefix(#"{"fault":"payloadTooLarge(limit: 1000)","#) == true)
      #expect(answer?.tellsItsID == true)
      #expect(answer?.reason == "Content Too Large")
      #expect(try client.isEnded())
    }
  }

  @Test("T6: a chunked body is refused at the limit, not at its end")
  func chunkedTooLarge() async throws {
    try await TestServer.run { server in
      let client = try server.client()
      try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      try client.send("3E9\r\n" + String(repeating: "x", count: 1_001))
      #expect(try client.answer()?.status == 413)
      #expect(try client.isEnded())
    }
  }

  @Test(
    "T10, T11: a media type, charset or coding that isn't accepted is 415",
    arguments: [
      ("", 415), ("Content-Type: text/plain\r\n", 415), ("Content-Type: application/x-www-form-urlencoded\r\n", 415),
      ("Content-Type: application/json; charset=utf-16\r\n", 415), ("Content-Type: application/json;charset\r\n", 415),
      ("Content-Type: application/json\r\nContent-Encoding: gzip\r\n", 415),
      ("Content-Type: application/json\r\nContent-Type: application/json\r\n", 415),
      ("Content-Type: application/json\r\n", 200), ("content-type: Application/JSON; Charset=\"UTF-8\"\r\n", 200),
    ])
  func mediaTypes(fields: String, status: Int) async throws {
    try await TestServer.run { server in
      let client = try server.client()
      try client.send(Self.announced("/json", "{}", fields))
      #expect(try client.answer()?.status == status)
      // A small refused body was read and thrown away: the connection goes on.
      try client.send("GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer()?.status == 200)
    }
  }

  @Test("admit refuses before the body is sent and keeps the handler from running")
  func admits() async throws {
    let ran = Guarded(0)
    let route = Route(
      .post, "/guarded/{id}", body: .any,
      admit: { head, parameters in
        head.headers.first("authorization") == "yes" ? nil : Response(status: 401, body: Array(parameters["id"].utf8))
      },
      handle: { _ in
        ran.withLock { $0 += 1 }
        return Response(status: 200)
      })
    try await TestServer.run([route]) { server in
      let client = try server.client()
      try client.send("POST /guarded/7 HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n")
      let answer = try client.answer()
      #expect(answer?.status == 401)
      #expect(answer?.text == "7")
      #expect(ran.withLock { $0 } == 0)
      let other = try server.client()
      try other.send(Self.announced("/guarded/7", "x", "Authorization: yes\r\n"))
      #expect(try other.answer()?.status == 200)
      #expect(ran.withLock { $0 } == 1)
    }
  }

  @Test("Bodies in flight beyond the bound are 503 with Retry-After, and the bytes come back when handlers end")
  func inFlight() async throws {
    var limits = ServerLimits()
    limits.bodyBytesInFlight = 1_500
    let gate = Gate()
    let route = Route(.post, "/held", bodyLimit: 1_000, body: .any) { _ in
      await gate.pass()
      return Response(status: 200)
    }
    let body = String(repeating: "x", count: 1_000)
    try await TestServer.run([route], limits: limits) { server in
      let first = try server.client()
      try first.send(Self.announced("/held", body))
      #expect(gate.waitForEntered(1))
      let second = try server.client()
      try second.send(Self.announced("/held", body))
      let refused = try second.answer()
      #expect(refused?.status == 503)
      #expect(refused?.first("Retry-After") == "1")
      gate.open()
      #expect(try first.answer()?.status == 200)
      let third = try server.client()
      try third.send(Self.announced("/held", body))
      #expect(try third.answer()?.status == 200)
    }
  }

  @Test("Handlers beyond the bound are 503, the connection stays")
  func concurrency() async throws {
    var limits = ServerLimits()
    limits.concurrentRequests = 1
    let gate = Gate()
    let route = Route(.get, "/held") { _ in
      await gate.pass()
      return Response(status: 200)
    }
    try await TestServer.run([route], limits: limits) { server in
      let first = try server.client()
      try first.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(gate.waitForEntered(1))
      let second = try server.client()
      try second.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try second.answer()?.status == 503)
      gate.open()
      #expect(try first.answer()?.status == 200)
      try second.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try second.answer()?.status == 200)
    }
  }
}
