import Testing

@testable import HTTPServer

@Suite("Router")
struct RouterTests {
  static let router = Router(
    ["/", "/v1/items", "/v1/items/{id}", "/v1/items/special", "/v1/items/{id}/tags", "/v1/{kind}/x/y"].map { pattern in
      Route(.get, pattern) { _ in Response(status: 200) }
    } + [Route(.post, "/v1/items") { _ in Response(status: 201) }],
    fault: TestServer.problem)

  static func outcome(_ path: String, _ method: HTTPMethod = .get) -> String {
    switch router.match(method, path: path) {
    case .route(let route, let parameters): "\(route.pattern) \(parameters["id"])\(parameters["kind"])"
    case .fault(let fault): "\(fault)"
    }
  }

  @Test(
    "T12: paths match by raw segments, parameters decode strictly",
    arguments: [
      ("/", "/ "), ("/v1/items", "/v1/items "), ("/v1/items/7", "/v1/items/{id} 7"),
      ("/v1/items/special", "/v1/items/special "), ("/v1/items/special/tags", "/v1/items/{id}/tags special"),
      ("/v1/items/x/y", "/v1/{kind}/x/y items"), ("/v1/items/%C3%A4%20b", "/v1/items/{id} ä b"),
      ("/v1/items/a+b", "/v1/items/{id} a+b"), ("/v1/items/", "notFound"), ("/v1//items", "notFound"),
      ("//v1/items", "notFound"), ("/v1/%69tems", "notFound"), ("/v1%2Fitems", "notFound"),
      ("/v1/items/a%2fb", "/v1/items/{id} a/b"), ("/v1/items/a%2Ftags", "/v1/items/{id} a/tags"),
      ("/v1/items/a%2Fb/tags", "/v1/items/{id}/tags a/b"), ("/v1/items/%2F", "/v1/items/{id} /"),
      ("/v1/items/..%2F..%2Fx", "/v1/items/{id} ../../x"), ("/v1/items/%252F", "/v1/items/{id} %2F"),
      ("/v1/items/special%2Ftags", "/v1/items/{id} special/tags"), ("/v1/items/100%25", "/v1/items/{id} 100%"),
      ("/v1/items/%73pecial", "/v1/items/{id} special"), ("/v1/items/%2e%2e", "notFound"),
      ("/v1/items/..", "notFound"), ("/v1/items/.%2e", "notFound"),
      ("/v1/items/%2e", "notFound"), ("*", "notFound"), ("/V1/items", "notFound"),
      ("/v1/items/%00", #"badRequest(reason: "path parameter id is not well-formed")"#),
      ("/v1/items/%ff", #"badRequest(reason: "path parameter id is not well-formed")"#),
      ("/v1/items/%c0%af", #"badRequest(reason: "path parameter id is not well-formed")"#),
      ("/v1/items/%", #"badRequest(reason: "path parameter id is not well-formed")"#),
      ("/v1/items/%4", #"badRequest(reason: "path parameter id is not well-formed")"#),
      ("/v1/items/%0d%0a", #"badRequest(reason: "path parameter id is not well-formed")"#),
      ("/v1/items/a%2F%00", #"badRequest(reason: "path parameter id is not well-formed")"#),
      ("/v1/items/%7f", #"badRequest(reason: "path parameter id is not well-formed")"#),
      ("/v1/items/%ed%a0%80", #"badRequest(reason: "path parameter id is not well-formed")"#),
    ])
  func paths(path: String, expected: String) {
    #expect(Self.outcome(path) == expected)
  }

  @Test("HEAD takes the GET route; another method is told which ones there are")
  func methods() {
    #expect(Self.outcome("/v1/items/7", .head) == "/v1/items/{id} 7")
    guard case .fault(let fault) = Self.router.match(.delete, path: "/v1/items") else {
      Issue.record("no fault")
      return
    }
    #expect(fault == .methodNotAllowed(allow: [.get, .head, .post]))
  }

  @Test("Header names compare by ASCII case alone")
  func headers() {
    let headers = Headers([("Content-TYPE", "a"), ("content-type", "b"), ("\u{212a}", "kelvin")])
    #expect(headers.first("content-type") == "a")
    #expect(headers.all("CONTENT-TYPE") == ["a", "b"])
    #expect(headers.first("k") == nil)
    #expect(headers.first("other") == nil)
  }

  @Test(
    "Framing is decided by the strictest reading",
    arguments: [
      (["5"], [], "HTTP/1.1", "length(5)"), (["0"], [], "HTTP/1.1", "none"), (["007"], [], "HTTP/1.1", "length(7)"),
      ([], ["chunked"], "HTTP/1.1", "chunked"), ([], ["Chunked"], "HTTP/1.1", "chunked"), ([], [], "HTTP/1.0", "none"),
      (["5", "5"], [], "HTTP/1.1", nil), (["5, 5"], [], "HTTP/1.1", nil), (["-0"], [], "HTTP/1.1", nil),
      ([" 5"], [], "HTTP/1.1", nil), (["٣"], [], "HTTP/1.1", nil), (["99999999999999999999"], [], "HTTP/1.1", nil),
      ([], ["chunked"], "HTTP/1.0", nil), ([], ["chunked, chunked"], "HTTP/1.1", nil),
      ([], ["identity"], "HTTP/1.1", nil),
      ([], ["chunked", "chunked"], "HTTP/1.1", nil), (["5"], ["chunked"], "HTTP/1.1", nil),
    ] as [([String], [String], String, String?)])
  func framing(lengths: [String], codings: [String], version: String, expected: String?) {
    let decided = try? Framing.decide(lengths: lengths, codings: codings, version: version).get()
    #expect(decided.map { "\($0)" } == expected)
  }
}
