import Testing

@testable import HTTPServer

@Suite("Start and stop", .serialized)
struct StopTests {
  static func held(_ gate: Gate) -> Route {
    Route(.get, "/held") { _ in
      await gate.pass()
      return TestServer.text("done")
    }
  }

  @Test("A stop waits for running requests, closes their connections, and takes no new connection")
  func graceful() async throws {
    let gate = Gate()
    let running = try TestServer.start([Self.held(gate)])
    let clients = try await TestServer.onThread {
      let clients = try (0..<20).map { _ in try running.client() }
      for client in clients { try client.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n") }
      #expect(gate.waitForEntered(20))
      return Unchecked(clients)
    }
    async let stopped: Void = running.server.stop(grace: .seconds(10))
    try await TestServer.onThread {
      #expect(running.events.wait { if case .draining = $0 { true } else { false } })
      gate.open()
      for client in clients.value {
        let answer = try client.answer()
        #expect(answer?.text == "done")
        #expect(answer?.first("Connection") == "close")
      }
    }
    await stopped
    #expect(running.events.wait { if case .stopped(abandoned: 0) = $0 { true } else { false } })
    #expect(throws: RawClient.Failure.self) { try running.client() }
    #expect(running.server.port == 0)
  }

  @Test("What outlives the grace is answered 503 and its task canceled; the process lives")
  func abandons() async throws {
    let wasCanceled = Guarded(false)
    let gate = Gate()
    let route = Route(.get, "/stuck") { _ in
      await gate.pass()
      while !Task.isCancelled { await Task.yield() }
      wasCanceled.withLock { $0 = true }
      wasCanceled.signal()
      return TestServer.text("late")
    }
    gate.open()
    let running = try TestServer.start([route])
    let client = try await TestServer.onThread {
      let client = try running.client()
      try client.send("GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(gate.waitForEntered(1))
      return Unchecked(client)
    }
    await running.server.stop(grace: .milliseconds(50))
    let answer = try await TestServer.onThread { try client.value.answer() }
    #expect(answer?.status == 503)
    #expect(running.events.wait { if case .stopped(abandoned: 1) = $0 { true } else { false } })
    try await TestServer.onThread { #expect(wasCanceled.wait(until: .now + .seconds(20)) { $0 }) }
  }

  @Test("Stopping under load, again and again, loses no accepted answer and never aborts", arguments: 0..<10)
  func underLoad(round: Int) async throws {
    let running = try TestServer.start()
    let answers = Guarded(0)
    async let load: Void = withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await TestServer.onThread {
            while let client = try? running.client() {
              while (try? client.send(BodyTests.announced("/echo", "x"))) != nil, let answer = try? client.answer() {
                #expect(answer.status == 200 || answer.status == 503)
                answers.withLock { $0 += 1 }
                answers.signal()
                if answer.first("Connection") == "close" { break }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await TestServer.onThread { #expect(answers.wait(until: .now + .seconds(20)) { $0 > 20 * (round + 1) }) }
    await running.server.stop(grace: .seconds(5))
    try await load
    #expect(running.events.answered.allSatisfy { $0.status == 200 || $0.status == 503 })
  }

  @Test("Stopping while malformed requests come in doesn't crash the library", arguments: 0..<30)
  func underMalformedLoad(round: Int) async throws {
    let running = try TestServer.start()
    let refused = Guarded(0)
    async let load: Void = TestServer.onThread {
      while let client = try? running.client() {
        try? client.send("GET /ping HTTP/1.1\r\nno colon\r\n\r\n")
        refused.withLock { $0 += 1 }
        refused.signal()
      }
    }
    try await TestServer.onThread { #expect(refused.wait(until: .now + .seconds(20)) { $0 > 20 + round }) }
    await running.server.stop(grace: .zero)
    try await load
  }

  @Test("A taken port, a bad address and a second start are errors with a name")
  func errors() async throws {
    let running = try TestServer.start()
    let router = Router([], fault: TestServer.problem)
    let second = Server(ServerConfiguration(port: running.port), router: router)
    #expect(throws: HTTPServerError.addressInUse(host: "127.0.0.1", port: running.port)) { try second.start() }
    let nowhere = Server(ServerConfiguration(host: "256.1.1.1"), router: router)
    #expect(throws: HTTPServerError.addressInvalid("256.1.1.1:0")) { try nowhere.start() }
    #expect(throws: HTTPServerError.alreadyStarted) { try running.server.start() }
    await running.server.stop(grace: .zero)
    await running.server.stop(grace: .zero)
    #expect(throws: HTTPServerError.alreadyStarted) { try running.server.start() }
  }
}
