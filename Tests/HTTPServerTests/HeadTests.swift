import Testing

@testable import HTTPServer

@Suite("The head of a request")
struct HeadTests {
  @Test(
    "A malformed head gets 400 with our body, and the connection is closed",
    arguments: [
      "GET /ping HTTP/1.1\r\n\r\n", "GET /ping HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET /ping HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET /ping HTTP/1.1\r\nHost:\r\n\r\n",
      "GET /ping HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n", "GET /ping HTTP/1.1\r\nHost: a\r\nX: b\u{7}\r\n\r\n",
      "GET /ping HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n", "GET /ping HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n",
      "GET /ping HTTP/1.1\r\nHost: a\r\nX: b\r\n\tc\r\nY: d\r\n\r\n", "GET /ping HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
      "GET /ping HTTP/1.1\nHost: a\r\n\r\n", "GET /ping HTTP/1.1\r\nHost: a\r\n\n",
      "GET /p\0ing HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET  /ping HTTP/1.1\r\nHost: a\r\n\r\n", "GET /pi ng HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /ping HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc",
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\nabc",
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\nabc",
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "POST /echo HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "GET http://b/ping HTTP/1.1\r\nHost: a\r\n\r\n", "GET /query?a=%zz HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /query?a=%00 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /query?a=%ff HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
  func malformed(request: String) async throws {
    // What follows is a request that must never be answered: the framing before it is in doubt.
    let bytes = Array((request + "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n").utf8)
    let answers = try await TestServer.run { try $0.exchange(bytes) }
    #expect(answers.map(\.status) == [400])
    #expect(answers.first?.first("Content-Type") == "application/problem+json")
    #expect(answers.first?.first("Connection") == "close")
    #expect(answers.first?.reason == "Bad Request")
    #expect(answers.first?.tellsItsID == true)
  }

  @Test(
    "Methods outside the list are 501, expectations beside 100-continue 417",
    arguments: [
      ("TRACE /ping HTTP/1.1\r\nHost: a\r\n\r\n", 501), ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
      ("get /ping HTTP/1.1\r\nHost: a\r\n\r\n", 501),
      ("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nContent-Length: 1\r\n\r\nx", 417),
    ])
  func unsupported(request: String, status: Int) async throws {
    let answers = try await TestServer.run { try $0.exchange(request) }
    #expect(answers.map(\.status) == [status])
    #expect(answers.first?.tellsItsID == true)
  }

  @Test("100-continue is answered before the body is sent")
  func continues() async throws {
    let answer = try await TestServer.run { server in
      let client = try server.client()
      try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
      try client.send("ok")
      return try client.answer()
    }
    #expect(answer?.status == 200)
    #expect(answer?.text == "ok")
  }

  @Test("A target of 4 KB passes, one byte more is 414", arguments: [(4_096, 200), (4_097, 414)])
  func targetEdge(length: Int, status: Int) async throws {
    let target = "/query?a=" + String(repeating: "x", count: length - 9)
    let answers = try await TestServer.run { try $0.exchange("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") }
    #expect(answers.map(\.status) == [status])
  }

  @Test("A head of 16 KB passes, one byte more is 431", arguments: [(16_384, 200), (16_385, 431), (20_000, 431)])
  func headEdge(length: Int, status: Int) async throws {
    let start = "GET /ping HTTP/1.1\r\nHost: a\r\nX: "
    let head = start + String(repeating: "x", count: length - start.utf8.count - 4) + "\r\n\r\n"
    let answers = try await TestServer.run { try $0.exchange(head) }
    #expect(answers.map(\.status) == [status])
    #expect(answers.first?.first("Content-Type") == (status == 200 ? nil : "application/problem+json"))
  }

  @Test("100 header fields pass, 101 are 431", arguments: [(100, 200), (101, 431)])
  func fieldsEdge(count: Int, status: Int) async throws {
    let fields = (1..<count).map { "x\($0): y\r\n" }.joined()
    let answers = try await TestServer.run { try $0.exchange("GET /ping HTTP/1.1\r\nHost: a\r\n\(fields)\r\n") }
    #expect(answers.map(\.status) == [status])
  }

  @Test(
    "T5: 100,000 tiny fields, a header of 1 MB, a target of 1 MB, a method of 8 KB are refused and the server lives")
  func floods() async throws {
    let mega = String(repeating: "x", count: 1 << 20)
    let floods = [
      "GET /ping HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a:\r\n", count: 100_000),
      "GET /ping HTTP/1.1\r\nHost: a\r\nX: \(mega)\r\n\r\n", "GET /\(mega) HTTP/1.1\r\nHost: a\r\n\r\n",
      String(repeating: "M", count: 8_192) + " /ping HTTP/1.1\r\nHost: a\r\n\r\n",
    ]
    try await TestServer.run { server in
      for flood in floods {
        // A reset may swallow the answer of a request that is still being sent: then the close is the answer.
        let statuses = (try? server.exchange(flood).map(\.status)) ?? []
        #expect(statuses.isEmpty || [[400], [414], [431], [501]].contains(statuses), "\(statuses)")
      }
      let after = try server.exchange("GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(after.map(\.status) == [200])
    }
  }

  @Test("Many query pairs are no reason for the library to run out of memory")
  func manyPairs() async throws {
    let target = "/query?" + String(repeating: "a&", count: 2_000)
    let answers = try await TestServer.run { try $0.exchange("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") }
    #expect(answers.map(\.status) == [200])
    #expect(answers.first?.text.split(separator: "|").count == 2_000)
  }

  @Test("Absolute form is taken when it names the same host")
  func absolute() async throws {
    let answers = try await TestServer.run {
      try $0.exchange("GET HTTP://A:80/query?x=%C3%A4+b HTTP/1.1\r\nHost: a:80\r\nConnection: close\r\n\r\n")
    }
    #expect(answers.map(\.text) == ["x=ä b"])
  }
}
