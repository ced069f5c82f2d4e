import Foundation
import Glibc
import HTTPClient
import Testing

@Suite("Plain requests")
struct SimpleHTTPTests {
  @Test("method, headers and body go out; status, headers and body come back")
  func exchange() async throws {
    let server = try PlainServer("HTTP/1.1 422 Nope\r\nX-One: a\r\nContent-Length: 5\r\n\r\nhello")
    let answer = try await SimpleHTTP().send(
      "PATCH", "http://127.0.0.1:\(server.port)/a?b=c",
      headers: [("X-Kits", "1"), ("Content-Type", "application/json")],
      body: Array("{}".utf8))
    #expect(answer.status == 422)
    #expect(answer.header("x-one") == "a")
    #expect(answer.body == Array("hello".utf8))
    let seen = await server.request
    #expect(seen.hasPrefix("PATCH /a?b=c HTTP/1.1\r\n"))
    #expect(seen.contains("X-Kits: 1\r\n"))
    #expect(seen.hasSuffix("\r\n\r\n{}"))
  }

  @Test("a redirect is an answer, not followed")
  func redirect() async throws {
    let server = try PlainServer("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
    let answer = try await SimpleHTTP().send("GET", "http://127.0.0.1:\(server.port)/")
    #expect(answer.status == 302)
    #expect(answer.header("location") == "http://127.0.0.1:1/")
  }

  @Test("a body over the limit is an error")
  func tooLarge() async throws {
    let body = String(repeating: "x", count: 2_000)
    let server = try PlainServer("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n\(body)")
    await #expect(throws: HTTPClientError.responseTooLarge(limit: 1_999)) {
      try await SimpleHTTP(bodyLimit: 1_999).send("GET", "http://127.0.0.1:\(server.port)/")
    }
  }

  @Test("a body over the limit ends the answer where that is enough")
  func cut() async throws {
    let body = String(repeating: "x", count: 2_000)
    // It promises a terabyte.
    let server = try PlainServer("HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n\(body)")
    var http = SimpleHTTP(bodyLimit: 1_000)
    http.overflow = .cut
    let answer = try await http.send("GET", "http://127.0.0.1:\(server.port)/")
    #expect(answer.status == 200 && answer.body.count == 1_000)
  }

  @Test("headers without end are cut")
  func headers() async throws {
    let lines = String(repeating: "X-Filler: \(String(repeating: "y", count: 1_000))\r\n", count: 70)
    let server = try PlainServer("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")
    await #expect(throws: HTTPClientError.self) {
      try await SimpleHTTP().send("GET", "http://127.0.0.1:\(server.port)/")
    }
  }

  @Test("a kept handle uses its connection again")
  func keepsConnections() async throws {
    let server = try PlainServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", answers: 2)
    var http = SimpleHTTP()
    http.idle = IdleHandles(limit: 1)
    // The server accepts once.
    for _ in 0..<2 {
      #expect(try await http.send("GET", "http://127.0.0.1:\(server.port)/").status == 200)
    }
  }

  @Test("silence ends at the timeout")
  func timeout() async throws {
    let server = try PlainServer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
    await #expect(throws: HTTPClientError.self) {
      try await SimpleHTTP(timeout: .milliseconds(100)).send("GET", "http://127.0.0.1:\(server.port)/")
    }
  }

  @Test("other schemes and broken headers are refused", arguments: ["file:///etc/hostname", "ftp://127.0.0.1/", "x"])
  func schemes(_ url: String) async {
    await #expect(throws: HTTPClientError.self) { try await SimpleHTTP().send("GET", url) }
    await #expect(throws: HTTPClientError.self) {
      try await SimpleHTTP().send("GET", "http://127.0.0.1:1/", headers: [("A", "b\r\nC: d")])
    }
  }
}

/// Answers one request with given bytes and keeps what it was asked.
private final class PlainServer: Sendable {
  let port: UInt16
  private let seen = AsyncStream.makeStream(of: String.self)

  init(_ answer: String, answers: Int = 1) throws {
    let (listener, port) = try ScriptedServer.listen(0)
    self.port = port
    Thread.detachNewThread { [seen] in
      let socket = accept(listener, nil, nil)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var text = ""
      // A request here is whole when its head ends, or with the two bytes that the one test with a body sends.
      while !text.hasSuffix("\r\n\r\n") || text.contains("PATCH") {
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        text += String(decoding: buffer[..<count], as: UTF8.self)
        if text.hasSuffix("{}") { break }
      }
      seen.continuation.yield(text)
      let bytes = Array(answer.utf8)
      _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      for _ in 1..<answers {
        _ = recv(socket, &buffer, buffer.count, 0)
        _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      }
      // Until the client hangs up.
      _ = recv(socket, &buffer, buffer.count, 0)
      close(socket)
      close(listener)
    }
  }

  var request: String {
    get async {
      for await text in seen.stream { return text }
      return ""
    }
  }
}
