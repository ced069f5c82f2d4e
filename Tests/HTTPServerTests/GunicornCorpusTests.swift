import Foundation
import Testing

@testable import HTTPServer

@Suite("The gunicorn request corpus")
struct GunicornCorpusTests {
  struct Corpus: Decodable {
    struct Case: Decodable {
      struct Request: Decodable { var base64: String }
      var id: String
      var project_verdict: String
      var project_non_default_config: [String]
      var request: Request
      var bytes: [UInt8] { Data(base64Encoded: request.base64).map { Array($0) } ?? [] }
    }
    var cases: [Case]

    static func load() throws -> [Case] {
      let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Vectors/gunicorn-http/requests.json")
      return try JSONDecoder().decode(Corpus.self, from: Data(contentsOf: file)).cases
    }
  }

  /// 200s over all cases: a smuggled request that was executed would show here.
  static let takenRequests = 46

  /// Any path of one to five segments answers 200, so that a status tells whether the request was taken.
  static let openRoutes: [Route] = [HTTPMethod.get, .post, .put].flatMap { method in
    ["/", "/{a}", "/{a}/{b}", "/{a}/{b}/{c}", "/{a}/{b}/{c}/{d}", "/{a}/{b}/{c}/{d}/{e}"].map { pattern in
      Route(method, pattern, body: .any) { request in TestServer.text("\(request.head.rawTarget)") }
    }
  }

  /// Deadlines short enough to wait for: some cases are cut short and only end by one.
  static var limits: ServerLimits {
    var limits = ServerLimits()
    limits.headDeadline = .seconds(4)
    limits.bodyDeadline = .seconds(4)
    limits.idleDeadline = .seconds(4)
    return limits
  }

  /// The same request with a Host, so that what comes after that check is reached as well.
  static func withHost(_ bytes: [UInt8]) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes), !text.lowercased().contains("\r\nhost:") else { return bytes }
    let requests = text.components(separatedBy: " HTTP/1.1\r\n")
    return Array(requests.joined(separator: " HTTP/1.1\r\nHost: localhost\r\n").utf8)
  }

  @Test("The corpus is whole: 137 cases, 74 refused and 63 taken by its project")
  func count() throws {
    let cases = try Corpus.load()
    #expect(cases.count == 137)
    #expect(cases.count { $0.project_verdict == "rejects" } == 74)
    #expect(cases.count { $0.project_verdict == "accepts" } == 63)
  }

  @Test("Every case gets the expected answer, and no second request is executed that isn't one")
  func answers() async throws {
    let cases = try Corpus.load()
    let statuses = try await Self.exchange(cases.map { Self.withHost($0.bytes) })
    for (item, statuses) in zip(cases, statuses) {
      #expect(Self.expected(item).contains(statuses), "\(item.id): \(statuses)")
    }
    #expect(statuses.joined().count { $0 == 200 } == Self.takenRequests)
  }

  @Test("Without the added Host, no case gets more answers, and none a server error but 501 and 505")
  func plain() async throws {
    let cases = try Corpus.load()
    for (item, statuses) in zip(cases, try await Self.exchange(cases.map(\.bytes))) {
      #expect(statuses.count <= (item.id == "valid/022" ? 2 : 1), "\(item.id): \(statuses)")
      #expect(statuses.allSatisfy { $0 < 500 || $0 == 501 || $0 == 505 }, "\(item.id): \(statuses)")
    }
  }

  /// Each request on a connection of its own, read until the server closes; many at a time, because the deadline is
  /// what closes most of them.
  private static func exchange(_ requests: [[UInt8]]) async throws -> [[Int]] {
    let running = try TestServer.start(openRoutes, limits: limits)
    let statuses = try await withThrowingTaskGroup(of: (Int, [Int]).self) { group in
      for (index, request) in requests.enumerated() {
        group.addTask {
          let statuses = try await TestServer.onThread {
            let client = try running.client()
            try? client.send(request)
            return try client.answers().map(\.status)
          }
          return (index, statuses)
        }
      }
      return try await group.reduce(into: [[Int]](repeating: [], count: requests.count)) { $0[$1.0] = $1.1 }
    }
    await running.server.stop(grace: .seconds(5))
    return statuses
  }

  private static func expected(_ item: Corpus.Case) -> [[Int]] {
    if GunicornExpectations.closedSilently.contains(item.id) { return [[], [408]] }
    if let status = GunicornExpectations.otherStatus[item.id] { return [[status]] }
    if GunicornExpectations.answeredTwice.contains(item.id) { return [[200, 200]] }
    let isTaken =
      GunicornExpectations.takenHere.contains(item.id)
      || (item.project_verdict == "accepts" && !GunicornExpectations.refusedHere.contains(item.id))
    return [[isTaken ? 200 : 400]]
  }
}
