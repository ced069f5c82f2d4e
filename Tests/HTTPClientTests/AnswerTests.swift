import HTTPClient
import Testing

@Suite("Answers")
struct AnswerTests {
  @Test("outcomes keep the order of the batch whatever the order of the answers")
  func order() async throws {
    let held = Locked<[(Int32, String)]>([])
    let server = try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings()
      case .request(let stream, let body) where body.hasPrefix("first"): session.respond(stream)
      case .request(let stream, let body):
        let all = held.withLock { held in
          held.append((stream, body))
          return held.count == 9 ? held : []
        }
        for (stream, body) in all.reversed() { session.respond(stream, 400, body) }
      }
    }
    let outcomes = try await withClient(server) { pool in
      for index in 0..<12 { _ = await pool.send(TestRequests(["first\(index)"])) }
      return await pool.send(TestRequests("n", 9))
    }
    #expect(outcomes.map(\.status) == Array(repeating: 400, count: 9))
    let bodies = outcomes.map { if case .response(let response) = $0 { response.body } else { [UInt8]() } }
    #expect(bodies == (0..<9).map { Array("n\($0)".utf8) })
  }

  @Test("thousands of requests end exactly once and the server sees each once")
  func exactlyOnce() async throws {
    let server = try ScriptedServer.answering()
    let outcomes = try await withClient(server, .quick { $0.connectionsPerPool = 3 }) { pool in
      await withTaskGroup { group in
        for batch in 0..<20 { group.addTask { await pool.send(TestRequests("b\(batch)-", 200)) } }
        return await group.reduce(into: []) { $0 += $1 }
      }
    }
    #expect(outcomes.count == 4_000)
    #expect(outcomes.allSatisfy { $0 == .ok })
    #expect(server.bodies.count == 4_000)
    #expect(Set(server.bodies).count == 4_000)
  }

  @Test("an answer without a body ends the request", arguments: [200, 400, 403, 410, 429, 503])
  func withoutBody(_ status: Int) async throws {
    let server = try ScriptedServer.answering(status: status)
    let outcomes = try await withClient(server) { await $0.send(TestRequests("n", 3)) }
    #expect(outcomes == Array(repeating: .response(HTTPResponse(status: status, body: [])), count: 3))
  }

  @Test("a body that comes byte by byte in its own frames arrives whole", arguments: [1, 2, 7])
  func splitBody(_ chunk: Int) async throws {
    let text = #"{"reason":"BadDeviceToken"}"#
    let server = try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings()
      case .request(let stream, _): session.respond(stream, 400, text, chunk: chunk)
      }
    }
    let outcomes = try await withClient(server) { await $0.send(TestRequests("n", 2)) }
    #expect(outcomes == Array(repeating: .response(HTTPResponse(status: 400, body: Array(text.utf8))), count: 2))
  }

  @Test("a body larger than the limit is cut there, and the connection goes on")
  func bodyLimit() async throws {
    let server = try ScriptedServer.answering(status: 400, body: String(repeating: "x", count: 20_000))
    let outcomes = try await withClient(server, .quick { $0.responseBodyLimit = 100 }) { pool in
      await pool.send(TestRequests("n", 2))
    }
    let expected = HTTPResponse(status: 400, body: Array(repeating: UInt8(ascii: "x"), count: 100))
    #expect(outcomes == [.response(expected), .response(expected)])
    #expect(server.log.connections == 1)
  }

  @Test("a value that can't go on the wire ends as invalid and costs no connection", arguments: ["a\r\nb", "a\0b", ""])
  func invalid(_ value: String) async throws {
    struct Bad: RequestSource {
      let value: String
      let count = 1
      func write(_ index: Int, to writer: RequestWriter) {
        writer.path("/")
        writer.header("apns-topic", value)
        writer.body([1])
      }
      func verdict(_ index: Int, _ response: HTTPResponse) -> ConnectionVerdict { .widen }
    }
    let server = try ScriptedServer.answering()
    let outcomes = try await withClient(server) { await $0.send(Bad(value: value)) }
    #expect(outcomes == [.neverSent(.invalidRequest)])
    #expect(server.bodies.isEmpty)
  }
}

extension ScriptedServer {
  /// Answers everything in the same way.
  static func answering(status: Int = 200, body: String = "") throws -> ScriptedServer {
    try ScriptedServer { session, event in
      switch event {
      case .opened: session.settings(maxStreams: 1_000)
      case .request(let stream, _): session.respond(stream, status, body)
      }
    }
  }
}
