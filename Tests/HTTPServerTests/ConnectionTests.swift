import Testing

@testable import HTTPServer

@Suite("Connections")
struct ConnectionTests {
  @Test("Pipelined requests are answered in order, whichever handler is done first")
  func pipelining() async throws {
    let route = Route(.get, "/n/{n}") { request in
      // The first ones take longest: answers in order of completion would come reversed.
      for _ in 0..<max(0, 50 - (Int(request.parameters["n"]) ?? 0)) { await Task.yield() }
      return TestServer.text(request.parameters["n"])
    }
    let texts = try await TestServer.run([route]) { server in
      let client = try server.client()
      try client.send((0..<50).map { "GET /n/\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
      return try (0..<50).map { _ in try client.answer()?.text }
    }
    #expect(texts == (0..<50).map(String.init))
  }

  @Test("A connection serves many requests; Connection: close and HTTP/1.0 end it")
  func keepAlive() async throws {
    try await TestServer.run { server in
      let client = try server.client()
      for _ in 0..<100 {
        try client.send("GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer()?.text == "pong")
      }
      #expect(server.server.connectionCount == 1)
      try client.send("GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(try client.answer()?.first("Connection") == "close")
      #expect(try client.isEnded())
      let old = try server.client()
      try old.send("GET /ping HTTP/1.0\r\n\r\n")
      #expect(try old.answer()?.status == 200)
      #expect(try old.isEnded())
    }
  }

  @Test("A chunked request is the last of its connection: how its chunks were read decides nothing more")
  func chunkedCloses() async throws {
    let answers = try await TestServer.run { server in
      try server.exchange(BodyTests.chunked("/echo", "hello") + "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
    }
    #expect(answers.map(\.text) == ["hello"])
  }

  @Test("T3: 1,000 idle connections don't keep a new client waiting")
  func idleConnections() async throws {
    try await TestServer.run { server in
      let idle = try (0..<1_000).map { _ in try server.client() }
      let client = try server.client()
      try client.send("GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer()?.text == "pong")
      for client in idle.prefix(10) {
        try client.send("GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer()?.text == "pong")
      }
      withExtendedLifetime(idle) {}
    }
  }

  @Test("T3: a bound per address closes what goes beyond it")
  func perAddress() async throws {
    var limits = ServerLimits()
    limits.connectionsPerAddress = 2
    try await TestServer.run(limits: limits, threads: 1) { server in
      let first = try server.client()
      let second = try server.client()
      for client in [first, second] {
        try client.send("GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer()?.status == 200)
      }
      let third = try server.client()
      #expect(try third.isEnded())
    }
  }

  @Test("T14: clients that reset in the middle of a response do no harm")
  func resets() async throws {
    let route = Route(.get, "/big") { _ in Response(status: 200, body: [UInt8](repeating: 1, count: 4 << 20)) }
    try await TestServer.run([route] + TestServer.standardRoutes) { server in
      for _ in 0..<50 {
        let client = try server.client()
        try client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readSome())
        client.reset()
      }
      #expect(server.events.waitForAnswered(50))
      let after = try server.exchange("GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(after.map(\.status) == [200])
    }
  }

  @Test("10,000 malformed requests leave a server that answers, and no connection behind")
  func malformedFlood() async throws {
    var random = SplitMix(state: 42)
    let pieces = [
      "GET ", "POST ", "/ping ", "HTTP/1.1\r\n", "HTTP/1.0\r\n", "Host: a\r\n", "\r\n", "\n", "\0", ":", " ",
      "Content-Length: 5\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n",
      "ffffffffff\r\n",
      "%00", "?", "\u{7f}", "Expect: 100-continue\r\n", "\t", "0\r\n\r\n", "X: y\r\n z\r\n", "é",
    ]
    let floods = (0..<10_000).map { _ in
      (0..<(3 + Int(random.next() % 10))).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
    }
    var limits = ServerLimits()
    limits.headDeadline = .milliseconds(100)
    limits.bodyDeadline = .milliseconds(100)
    try await TestServer.run(limits: limits) { server in
      for flood in floods {
        let client = try server.client()
        try? client.send(flood)
      }
      let client = try server.client()
      try client.send("GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer()?.status == 200)
    }
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
  }
}
