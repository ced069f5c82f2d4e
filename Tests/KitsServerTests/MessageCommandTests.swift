import HTTPServer
import JSON
import Testing

@testable import KitsServer

@Suite("Message commands")
struct MessageCommandTests {
  static func arguments(_ words: String...) throws -> Arguments {
    let result = try CommandParser(root: CommandTree.root).parse(
      ["message", "send", "--url", "http://localhost", "--title", "T", "--body", "B"] + words)
    guard case .run(_, _, let arguments) = result else { throw CommandFailure.usage("no command") }
    return arguments
  }

  @Test("The body has what was asked for and nothing else")
  func body() throws {
    let everyone = try SendMessage.body(Self.arguments("--everyone"))
    #expect(
      String(decoding: JSON.write(.object(everyone)), as: UTF8.self)
        == #"{"target":{"everyone":true},"title":"T","body":"B"}"#)
    let id = "01936B2E-8c4f-7d21-9a53-2f6c1b8e4d70"
    let named = try SendMessage.body(Self.arguments("--installation", id, "--app", id, "--data", #"{"a":[1]}"#))
    let lower = id.lowercased()
    #expect(
      String(decoding: JSON.write(.object(named)), as: UTF8.self)
        == #"{"app_id":"\#(lower)","target":{"installation_ids":["\#(lower)"]},"title":"T","body":"B","#
        + #""data":{"a":[1]}}"#)
    let users = try SendMessage.body(Self.arguments("--external-id", "b", "--external-id", "a", "--verified-only"))
    #expect(
      String(decoding: JSON.write(.object(users)), as: UTF8.self)
        == #"{"target":{"external_ids":["b","a"]},"verified_only":true,"title":"T","body":"B"}"#)
    let segments = try SendMessage.body(Self.arguments("--segment", id, "--segment", lower))
    #expect(segments["target"] == .object(["segment_ids": .array([.string(lower), .string(lower)])]))
    #expect(try SendMessage.body(Self.arguments("--test-devices"))["target"] == .object(["test_devices": .bool(true)]))
  }

  static func message(_ state: String, planned: Bool = true, pending: Int64) -> JSONObject {
    [
      "state": .string(state), "planned": .bool(planned),
      "ledger": .object([
        "targeted": .integer(5), "pending": .integer(pending), "accepted": .integer(2), "failed": .integer(0),
        "suppressed": .integer(0), "expired": .integer(0), "canceled": .integer(3 - pending), "unknown": .integer(0),
      ]),
      "reasons": .array([
        .object(["class": .string("canceled"), "reason": .string("canceled"), "count": .integer(3 - pending)])
      ]),
    ]
  }

  @Test(
    "A message is over when its state is final and nothing of it is pending",
    arguments: [
      ("planning", 0, false), ("sending", 1, false), ("sending", 0, false), ("completed", 0, true),
      ("canceled", 1, false), ("canceled", 0, true), ("refused", 0, true),
    ] as [(String, Int64, Bool)])
  func over(state: String, pending: Int64, isOver: Bool) throws {
    let progress = try #require(MessageProgress(Self.message(state, pending: pending)))
    #expect(progress.isOver == isOver)
  }

  @Test("The bar counts what has an outcome, and has no total before planning ended")
  func bar() throws {
    let planning = try #require(MessageProgress(Self.message("planning", planned: false, pending: 3)))
    #expect(planning.bar == ProgressBar(done: 2, total: nil, note: "planning"))
    let sending = try #require(MessageProgress(Self.message("sending", pending: 2)))
    #expect(sending.bar == ProgressBar(done: 3, total: 5, note: "sending"))
    #expect(MessageProgress(["state": .string("sending")]) == nil)
  }

  @Test("The ledger leaves out zeros, except those everybody looks for")
  func ledger() throws {
    let progress = try #require(MessageProgress(Self.message("canceled", pending: 0)))
    #expect(
      progress.report.text
        == """
        state     canceled
        targeted  5
        accepted  2
        failed    0
        canceled  3
        class     reason    count
        canceled  canceled  3

        """)
  }

  @Test("A send is repeated with the same idempotency key until the server takes it")
  func repeated() async throws {
    let keys = Locked<[String]>([])
    let route = Route(.post, "/v1/messages", bodyLimit: 4096, body: .json()) { request in
      let count = keys.withLock { list in
        list.append(request.head.headers.first("Idempotency-Key") ?? "")
        return list.count
      }
      let isTaken = count == 3
      let body =
        isTaken
        ? #"{"id":"1","state":"planning"}"#
        : #"{"code":"DATABASE_UNAVAILABLE","detail":"Away.","retryable":true}"#
      return Response(status: isTaken ? 201 : 503, headers: Headers(), body: Array(body.utf8))
    }
    let server = Server(
      ServerConfiguration(threads: 1), router: Router([route]) { _, _ in Response(status: 404, headers: Headers()) },
      observe: { _ in })
    try server.start()
    var words = Arguments()
    words.add(.value("url", "URL", ""), "http://127.0.0.1:\(server.port)")
    let invocation = Invocation(
      arguments: words, environment: ["KITS_SERVER_KEY": "kits_sk_x"],
      output: Output(form: .text, standardOutput: { _ in }, standardError: { _ in }))
    let created = try await MessageClient(invocation).create(["title": .string("T")])
    #expect(created["id"]?.string == "1")
    let seen = keys.withLock { $0 }
    #expect(seen.count == 3 && Set(seen).count == 1 && seen.allSatisfy { $0.utf8.count > 20 })
    await server.stop(grace: .seconds(1))
  }
}
