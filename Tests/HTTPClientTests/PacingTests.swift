import HTTPClient
import Testing

@Suite("Pace and order")
struct PacingTests {
  @Test("a new connection carries one request until that was answered")
  func warmUp() async throws {
    let first = Locked<(ServerSession, Int32)?>(nil)
    let server = try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings(maxStreams: 1_000)
      case .request(let stream, _):
        let isFirst = first.withLock { first in
          guard first == nil else { return false }
          first = (session, stream)
          return true
        }
        if !isFirst { session.respond(stream) }
      }
    }
    try await withClient(server) { pool in
      async let outcomes = pool.send(TestRequests("n", 50))
      await server.wait { $0.bodies.count == 1 }
      #expect(server.log.mostOpen == 1)
      if let (session, stream) = first.withLock({ $0 }) { session.respond(stream) }
      #expect(await outcomes == Array(repeating: .ok, count: 50))
    }
    #expect(server.log.connections == 1)
  }

  @Test("no more than the window is in flight, and the small batch's reserve above it")
  func window() async throws {
    let held = Locked<[(ServerSession, Int32)]>([])
    let server = try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings(maxStreams: 1_000)
      case .request(let stream, let body) where body.hasPrefix("warm"): session.respond(stream)
      case .request(let stream, _): held.withLock { $0.append((session, stream)) }
      }
    }
    try await withClient(
      server,
      .quick {
        $0.window = 10; $0.urgentReserve = 2
      }
    ) { pool in
      for index in 0..<20 { _ = await pool.send(TestRequests(["warm\(index)"])) }
      async let bulk = pool.send(TestRequests("bulk", 50))
      await server.wait { $0.bodies.count { $0.hasPrefix("bulk") } == 10 }
      #expect(server.log.mostOpen == 10)
      async let small = pool.send(TestRequests("small", 2))
      await server.wait { $0.bodies.count { $0.hasPrefix("small") } == 2 }
      #expect(server.log.mostOpen == 12)
      var answered = 0
      while answered < 52 {
        let now = held.withLock { held in
          defer { held.removeAll() }
          return held
        }
        for (session, stream) in now { session.respond(stream) }
        answered += now.count
        await Task.yield()
      }
      #expect(await small == [.ok, .ok])
      #expect(await bulk == Array(repeating: .ok, count: 50))
    }
    #expect(server.log.mostOpen == 12)
  }

  @Test("a small batch goes ahead of bulk that came before")
  func smallFirst() async throws {
    let gate = Locked<(ServerSession, Int32)?>(nil)
    let server = try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings(maxStreams: 1)
      case .request(let stream, let body) where body == "gate": gate.withLock { $0 = (session, stream) }
      case .request(let stream, _): session.respond(stream)
      }
    }
    try await withClient(
      server,
      .quick {
        $0.window = 1; $0.urgentReserve = 0
      }
    ) { pool in
      async let first = pool.send(TestRequests(["gate"]))
      await server.wait { $0.bodies == ["gate"] }
      async let bulk = pool.send(TestRequests("bulk", 100))
      // Bulk is in the queue before the small one: it is the next one after the gate opens, or it isn't there yet.
      async let small = pool.send(TestRequests(["small"]))
      while pool.waiting < 101 { await Task.yield() }
      if let (session, stream) = gate.withLock({ $0 }) { session.respond(stream) }
      _ = await (first, bulk, small)
    }
    #expect(server.bodies.firstIndex(of: "small") == 1)
  }

  @Test("past its lease nothing is handed over")
  func lease() async throws {
    let server = try ScriptedServer.answering()
    let outcomes = try await withClient(server) { pool in
      await pool.send(TestRequests("n", 3), handOverBefore: Clocks.boot())
    }
    #expect(outcomes == Array(repeating: .neverSent(.leaseExpired), count: 3))
    #expect(server.bodies.isEmpty)
  }

  @Test("without a server requests end as never sent at their deadline")
  func noServer() async throws {
    let server = try ScriptedServer.answering()
    server.stop()
    let outcomes = try await withClient(server, .quick { $0.requestDeadline = .milliseconds(300) }) { pool in
      await pool.send(TestRequests("n", 3))
    }
    #expect(outcomes == Array(repeating: .neverSent(.noConnection(code: 7)), count: 3))
  }

  @Test("an answer that condemns the connection brings a new one")
  func replaced() async throws {
    let server = try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings()
      case .request(let stream, let body): session.respond(stream, body == "bad" ? 403 : 200)
      }
    }
    let (bad, next) = try await withClient(server) { pool in
      var requests = TestRequests(["bad"])
      requests.judge = { $0.status == 403 ? .replace : .widen }
      return (await pool.send(requests), await pool.send(TestRequests("n", 3)))
    }
    #expect(bad.map(\.status) == [403])
    #expect(next == [.ok, .ok, .ok])
    #expect(server.log.connections == 2)
  }

  @Test("a backlog opens connections up to the limit, one after another", .timeLimit(.minutes(1)))
  func growth() async throws {
    let held = Locked<[(ServerSession, Int32)]>([])
    let server = try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings(maxStreams: 1_000)
      case .request(let stream, let body) where body.hasPrefix("warm"): session.respond(stream)
      case .request(let stream, _): held.withLock { $0.append((session, stream)) }
      }
    }
    let configuration = HTTP2Configuration.quick {
      $0.window = 4
      $0.connectionsPerPool = 3
      $0.connectInterval = .milliseconds(50)
      // Connections without answers are part of this test; they must not be taken for dead.
      $0.silence = .seconds(30)
    }
    try await withClient(server, configuration) { pool in
      _ = await pool.send(TestRequests(["warm"]))
      async let bulk = pool.send(TestRequests("bulk", 100))
      var answered = 0
      var greeted: Set = [0]
      while answered < 100, !Task.isCancelled {
        let answerable = held.withLock { held in
          defer { held.removeAll() }
          return held
        }
        // Until the third connection is there each gets one answer, which makes it ready, so the backlog stays.
        let connections = server.log.connections
        for (session, stream) in answerable {
          if connections == 3 || greeted.insert(session.number).inserted {
            session.respond(stream)
            answered += 1
          } else {
            held.withLock { $0.append((session, stream)) }
          }
        }
        await Task.yield()
      }
      #expect(await bulk == Array(repeating: .ok, count: 100))
    }
    #expect(server.log.connections == 3)
  }

  @Test("stopping ends what waits as never sent and lets what is under way end")
  func stop() async throws {
    let gate = Locked<(ServerSession, Int32)?>(nil)
    let server = try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings(maxStreams: 1)
      case .request(let stream, _): gate.withLock { $0 = (session, stream) }
      }
    }
    let client = try HTTP2Client(.quick { $0.stopGrace = .seconds(5) })
    let pool = client.makePool("test", origin: try server.origin)
    async let first = pool.send(TestRequests(["gate"]))
    await server.wait { $0.bodies == ["gate"] }
    async let waiting = pool.send(TestRequests("n", 20))
    while pool.waiting < 20 { await Task.yield() }
    async let stopped: Void = client.stop()
    #expect(await waiting == Array(repeating: .neverSent(.stopped), count: 20))
    if let (session, stream) = gate.withLock({ $0 }) { session.respond(stream) }
    #expect(await first == [.ok])
    await stopped
    #expect(await pool.send(TestRequests("n", 1)) == [.neverSent(.stopped)])
    server.stop()
  }
}
