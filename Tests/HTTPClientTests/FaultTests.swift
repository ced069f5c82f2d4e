import HTTPClient
import Testing

@Suite("Faults of the server")
struct FaultTests {
  /// Answers the warm-up; the rest is the script's.
  private func server(
    maxStreams: UInt32 = 1_000, _ script: @escaping @Sendable (ServerSession, Int32, String) -> Void
  ) throws -> ScriptedServer {
    try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings(maxStreams: maxStreams)
      case .request(let stream, let body):
        body.hasPrefix("warm") ? session.respond(stream) : script(session, stream, body)
      }
    }
  }

  private func widen(_ pool: ConnectionPool, _ count: Int = 40) async {
    for index in 0..<count { _ = await pool.send(TestRequests(["warm\(index)"])) }
  }

  @Test("a refused stream is sent once more, on another connection", arguments: [false, true])
  func refused(thenClosed: Bool) async throws {
    let server = try server { session, stream, body in
      guard session.number == 0, body == "n3" else { return session.respond(stream) }
      session.reset(stream, code: 7)
      if thenClosed { session.reset(stream, code: 5) }
    }
    let outcomes = try await withClient(server) { pool in
      await widen(pool)
      return await pool.send(TestRequests("n", 10))
    }
    #expect(outcomes == Array(repeating: .ok, count: 10))
    #expect(server.bodies.filter { $0 == "n3" }.count == 2)
    #expect(server.duplicates == ["n3"])
    #expect(server.log.connections == 2)
  }

  @Test("GOAWAY below created streams: those below end there, those above are sent anew, no other twice")
  func goAway() async throws {
    let held = Locked<[(Int32, String)]>([])
    let server = try server { session, stream, body in
      guard session.number == 0 else { return session.respond(stream) }
      let all = held.withLock { held in
        held.append((stream, body))
        return held.count == 20 ? held : []
      }
      guard all.count == 20 else { return }
      session.goAway(last: all[11].0, debug: #"{"reason":"Shutdown"}"#)
      session.goAway(last: all[11].0)
      for (stream, _) in all.prefix(12) { session.respond(stream) }
    }
    let outcomes = try await withClient(server) { pool in
      await widen(pool)
      return await pool.send(TestRequests("n", 20))
    }
    #expect(outcomes == Array(repeating: .ok, count: 20))
    let resent = held.withLock { $0.dropFirst(12).map(\.1) }
    #expect(Set(server.duplicates) == Set(resent))
    #expect(server.log.connections == 2)
  }

  @Test("after GOAWAY new work goes to a new connection while the old one finishes")
  func goAwayMovesQueue() async throws {
    let last = Locked<(ServerSession, Int32)?>(nil)
    let server = try server { session, stream, body in
      guard session.number == 0 else {
        session.respond(stream)
        if body == "later0", let (old, stream) = last.withLock({ $0 }) { old.respond(stream) }
        return
      }
      last.withLock { $0 = (session, stream) }
      session.goAway(last: stream)
    }
    try await withClient(server) { pool in
      await widen(pool, 3)
      async let slow = pool.send(TestRequests(["slow"]))
      await server.wait { $0.bodies.contains("slow") }
      let later = await pool.send(TestRequests("later", 1))
      #expect(later == [.ok])
      #expect(await slow == [.ok])
    }
    #expect(server.duplicates.isEmpty)
  }

  @Test("what libcurl holds back when GOAWAY comes goes to a new connection at once")
  func goAwayFreesPending() async throws {
    let gate = Locked<(ServerSession, Int32)?>(nil)
    let server = try server(maxStreams: 1) { session, stream, body in
      if session.number > 0 { return session.respond(stream) }
      gate.withLock { $0 = (session, stream) }
    }
    try await withClient(server) { pool in
      await widen(pool, 5)
      async let slow = pool.send(TestRequests(["slow"]))
      await server.wait { $0.bodies.contains("slow") }
      async let later = pool.send(TestRequests("later", 3))
      // Taken from the queue, and stuck behind the server's limit of one stream.
      while pool.waiting > 2 { await Task.yield() }
      let (session, stream) = try #require(gate.withLock { $0 })
      session.goAway(last: stream)
      #expect(await later == [.ok, .ok, .ok])
      session.respond(stream)
      #expect(await slow == [.ok])
    }
    #expect(server.duplicates.isEmpty)
  }

  @Test("requests held back behind an answer that doesn't come move to another connection")
  func heldBack() async throws {
    let server = try server(maxStreams: 1) { session, stream, _ in
      if session.number > 0 { session.respond(stream) }
    }
    let (slow, later) = try await withClient(server, .quick { $0.requestDeadline = .seconds(3) }) { pool in
      await widen(pool, 5)
      async let slow = pool.send(TestRequests(["slow"]))
      await server.wait { $0.bodies.contains("slow") }
      let later = await pool.send(TestRequests("later", 3))
      return (await slow, later)
    }
    #expect(later == [.ok, .ok, .ok])
    #expect(slow == [.unknown(.deadline)])
    #expect(server.duplicates.isEmpty)
  }

  @Test("GOAWAY before any settings is a failed connect, tried again later", arguments: [false, true])
  func goAwayFirst(hangsUp: Bool) async throws {
    let server = try ScriptedServer { session, event in
      switch event {
      case .opened where session.number < 2:
        session.goAway(last: 0, code: 2)
        if hangsUp { session.hangUp() }
      case .opened: session.settings()
      case .request(let stream, _): session.respond(stream)
      }
    }
    let outcomes = try await withClient(server) { await $0.send(TestRequests("n", 3)) }
    // Such a server breaks the protocol, so its GOAWAY counts for nothing: what was handed over is unknown.
    #expect(outcomes.filter { $0 == .ok }.count >= 1)
    #expect(outcomes.allSatisfy { if case .neverSent = $0 { false } else { true } })
    #expect(server.log.connections == 3)
  }

  @Test("a stream reset with another code is unknown and leaves the others alone", arguments: [2, 8, 11] as [UInt32])
  func streamReset(_ code: UInt32) async throws {
    let server = try server { session, stream, body in
      body == "n3" ? session.reset(stream, code: code) : session.respond(stream)
    }
    let outcomes = try await withClient(server) { pool in
      await widen(pool)
      return await pool.send(TestRequests("n", 10))
    }
    #expect(outcomes[3] == .unknown(.streamReset))
    #expect(outcomes.filter { $0 == .ok }.count == 9)
    #expect(server.duplicates.isEmpty)
    #expect(server.log.connections == 1)
  }

  @Test("a connection that breaks: what was under way is unknown and never sent again", arguments: [false, true])
  func killed(byReset: Bool) async throws {
    let count = Locked(0)
    let server = try server { session, stream, _ in
      guard session.number == 0 else { return session.respond(stream) }
      let seen = count.withLock { count in
        count += 1
        return count
      }
      if seen == 20 { session.hangUp(reset: byReset) }
    }
    let outcomes = try await withClient(server, .quick { $0.window = 20 }) { pool in
      await widen(pool)
      return await pool.send(TestRequests("n", 60))
    }
    let lost = outcomes.filter { if case .unknown(.connectionLost) = $0 { true } else { false } }.count
    #expect(lost == 20)
    #expect(outcomes.filter { $0 == .ok }.count == 40)
    #expect(server.duplicates.isEmpty)
  }

  @Test("a silent connection is dropped; what waits goes on a new one")
  func silence() async throws {
    let server = try server { session, stream, _ in
      if session.number > 0 { session.respond(stream) }
    }
    let outcomes = try await withClient(
      server,
      .quick {
        $0.window = 10; $0.silence = .milliseconds(300)
      }
    ) { pool in
      await widen(pool)
      return await pool.send(TestRequests("n", 30))
    }
    #expect(outcomes.filter { $0 == .unknown(.silence) }.count == 10)
    #expect(outcomes.filter { $0 == .ok }.count == 20)
    #expect(server.duplicates.isEmpty)
  }

  @Test("one request without an answer ends as unknown at its deadline, and the connection lives")
  func deadline() async throws {
    let server = try server { session, stream, body in
      if body != "stuck" { session.respond(stream) }
    }
    let configuration = HTTP2Configuration.quick {
      $0.requestDeadline = .milliseconds(1_500); $0.silence = .seconds(9)
    }
    let (stuck, other) = try await withClient(server, configuration) { pool in
      await widen(pool, 3)
      return (await pool.send(TestRequests(["stuck"])), await pool.send(TestRequests(["next"])))
    }
    #expect(stuck == [.unknown(.deadline)])
    #expect(other == [.ok])
    #expect(server.log.connections == 1)
  }

  @Test("a limit of one stream is obeyed and costs one connection")
  func oneStream() async throws {
    let server = try server(maxStreams: 1) { session, stream, _ in session.respond(stream) }
    let outcomes = try await withClient(server) { await $0.send(TestRequests("n", 100)) }
    #expect(outcomes == Array(repeating: .ok, count: 100))
    #expect(server.log.mostOpen == 1)
    #expect(server.log.connections == 1)
  }

  @Test("a server that goes and comes back gets the rest")
  func goneAndBack() async throws {
    let first = try server { session, _, _ in session.hangUp() }
    let client = try HTTP2Client(.quick { $0.window = 1 })
    let pool = client.makePool("test", origin: try first.origin)
    await widen(pool, 2)
    async let outcomes = pool.send(TestRequests("n", 20))
    await first.wait { $0.bodies.contains("n0") }
    first.stop()
    let second = try await reopened(first.port)
    let ends = await outcomes
    #expect(ends.filter { $0 == .ok }.count >= 15)
    #expect(ends.allSatisfy { if case .neverSent = $0 { false } else { true } })
    #expect(Set(first.bodies).isDisjoint(with: second.bodies))
    await client.stop()
    second.stop()
  }

  /// The port may still be closing.
  private func reopened(_ port: UInt16) async throws -> ScriptedServer {
    while true {
      let again = try? ScriptedServer(port: port) { session, event in
        switch event {
        case .opened: session.settings()
        case .request(let stream, _): session.respond(stream)
        }
      }
      if let again { return again }
      await Task.yield()
    }
  }
}
