import TestSupport
import Testing

@testable import HTTPServer

@Suite("Deadlines")
struct DeadlineTests {
  static func limits(_ change: (inout ServerLimits) -> Void) -> ServerLimits {
    var limits = ServerLimits()
    change(&limits)
    return limits
  }

  @Test("T1: a head that drips in is ended at the deadline from its first byte, however often a byte comes")
  func drippingHead() async throws {
    try await TestServer.run(limits: Self.limits { $0.headDeadline = .milliseconds(200) }) { server in
      let client = try server.client()
      try client.send("GET /ping HTTP/1.1\r\nX: ")
      // Bytes keep coming until the server has given up: it isn't an idle timeout that ends this.
      Drip.start(client)
      #expect(server.events.waitForDeadline(.head))
      let answer = try client.answer()
      #expect(answer?.status == 408)
      #expect(answer?.reason == "Request Timeout")
      #expect(answer?.tellsItsID == true)
    }
  }

  @Test("T1: the next head on a kept connection has its own deadline")
  func secondHead() async throws {
    try await TestServer.run(limits: Self.limits { $0.headDeadline = .milliseconds(200) }) { server in
      let client = try server.client()
      try client.send("GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer()?.status == 200)
      Drip.start(client)
      #expect(server.events.waitForDeadline(.head))
    }
  }

  @Test("T2, T7: a body that drips in or stops is ended at its deadline", arguments: [true, false])
  func slowBody(drips: Bool) async throws {
    try await TestServer.run(limits: Self.limits { $0.bodyDeadline = .milliseconds(200) }) { server in
      let client = try server.client()
      try client.send(
        "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n12345")
      if drips { Drip.start(client) }
      #expect(server.events.waitForDeadline(.body))
      let answer = try client.answer()
      #expect(answer?.status == 408)
      #expect(answer?.reason == "Request Timeout")
      #expect(answer?.tellsItsID == true)
    }
  }

  @Test("A connection that sends nothing is closed at the idle deadline, without an answer")
  func idle() async throws {
    try await TestServer.run(limits: Self.limits { $0.idleDeadline = .milliseconds(200) }) { server in
      let client = try server.client()
      #expect(server.events.waitForDeadline(.idle))
      #expect(try client.isEnded())
    }
  }

  @Test("T4: a reader that takes nothing of a large response is ended at the write deadline")
  func slowReader() async throws {
    let limits = Self.limits {
      $0.writeDeadline = .milliseconds(200)
      $0.slowestReader = 1 << 30
    }
    let route = Route(.get, "/big") { _ in Response(status: 200, body: [UInt8](repeating: 1, count: 16 << 20)) }
    try await TestServer.run([route], limits: limits) { server in
      let client = try RawClient(port: server.port, receiveBuffer: 4_096)
      try client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(server.events.waitForDeadline(.write))
      #expect(server.events.waitForAnswered(1))
      #expect(server.events.answered.first?.isComplete == false)
    }
  }

  @Test("No deadline runs while a handler works")
  func working() async throws {
    let limits = Self.limits {
      $0.headDeadline = .milliseconds(20)
      $0.bodyDeadline = .milliseconds(20)
      $0.writeDeadline = .seconds(5)
      $0.idleDeadline = .milliseconds(20)
    }
    let route = Route(.get, "/slow") { _ in
      dawdle(milliseconds: 200)
      return TestServer.text("done")
    }
    try await TestServer.run([route], limits: limits) { server in
      let client = try server.client()
      try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.answer()?.text == "done")
    }
  }

  @Test("A client that ended its side after half a head is let go")
  func halfClosed() async throws {
    let answers = try await TestServer.run(limits: Self.limits { $0.writeDeadline = .milliseconds(200) }) {
      try $0.exchange("GET /ping HTTP/1.1\r\nHos")
    }
    #expect(answers.isEmpty)
  }
}
