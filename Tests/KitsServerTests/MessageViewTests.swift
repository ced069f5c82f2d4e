import HTTPServer
import JSON
import Testing

@testable import KitsServer

@Suite("What became of a message, in the terminal")
struct MessageViewTests {
  static let plain = Terminal(isTerminal: false, hasColors: false, columns: 80)

  static func object(_ json: String) throws -> JSONObject { try #require(try JSON.parse(Array(json.utf8)).object) }

  static func message(engagement: String) -> String {
    """
    {"id":"1","title":"Hello","state":"completed","planned":true,"created_at":"2026-11-30T08:00:00.000Z",
    "canceled_at":null,"ledger":{"targeted":1000,"pending":0,"accepted":999,"failed":1,"suppressed":0,"expired":0,
    "canceled":0,"unknown":0},"reasons":[{"class":"failed","reason":"Unregistered","count":1}],
    "engagement":\(engagement)}
    """
  }

  @Test("show: the ledger with shares, the reasons, and no confirmations where nobody was asked")
  func show() throws {
    let view = try #require(MessageView(Self.object(Self.message(engagement: "null"))))
    #expect(
      view.rendered(Self.plain) == """
        id          1
        title       Hello
        state       completed
        created_at  2026-11-30T08:00:00.000Z
        targeted    1000

        accepted  999  99.9 %
        failed      1  0.1 %

        failed Unregistered  1

        """)
    #expect(MessageView(["state": .string("x")]) == nil)
  }

  @Test("show: a share is told only of what could have been reached")
  func engagement() throws {
    let receipts = try #require(
      MessageView(
        Self.object(
          Self.message(engagement: #"{"received":333,"clicked":0,"could_confirm":{"received":999,"clicked":999}}"#))))
    #expect(receipts.rendered(Self.plain).contains("received  333  of 999 that could confirm: 33.3 %\n"))
    let events = try #require(
      MessageView(
        Self.object(
          Self.message(engagement: #"{"received":3,"clicked":0,"could_confirm":{"received":null,"clicked":0}}"#))))
    let text = events.rendered(Self.plain)
    #expect(text.contains("received  3  from apps in the foreground alone\n"))
    #expect(text.contains("clicked   0  of 0 that could confirm\n"))
  }

  @Test("timeline: an hour a line, long gaps in one")
  func timeline() throws {
    let hours = [(8, 5), (9, 0), (10, 0), (11, 0), (12, 0), (13, 2), (14, 0)].map { hour, count in
      let start = "2026-11-30T\(hour < 10 ? "0" : "")\(hour):00:00.000Z"
      return #"{"hour":"\#(start)","received":\#(count),"clicked":0}"#
    }
    let view = try #require(
      TimelineView(Self.object(#"{"tracking":{"events":true},"hours":[\#(hours.joined(separator: ","))]}"#)))
    #expect(
      view.rendered(Self.plain)
        == """
                                    received  clicked
        2026-11-30 08:00Z                  5        0
        … 4 hours without any
        2026-11-30 13:00Z                  2        0
        2026-11-30 14:00Z                  0        0

        """.replacing("                            received", with: "                       received")
        .replacing("Z                  ", with: "Z             "))
    let untracked = try #require(TimelineView(Self.object(#"{"tracking":{"events":false},"hours":[]}"#)))
    #expect(untracked.rendered(Self.plain) == "the message doesn't ask devices to confirm anything\n")
    let none = try #require(TimelineView(Self.object(#"{"tracking":{"events":true},"hours":[]}"#)))
    #expect(none.rendered(Self.plain) == "nothing was confirmed yet\n")
    #expect(TimelineView([:]) == nil)
  }

  static func explanation(_ targeted: String, delivery: String = "null", checks: String = "[]") -> String {
    """
    {"reach":"kept","targeted":\(targeted),"delivery":\(delivery),"checks":\(checks),
    "installation":{"platform":"ios","reachable":true,"permission":"authorized","push_preference":true,
    "push_token":{"state":"active","moved":true},"binding":{"number":3}}}
    """
  }

  @Test("why: one sentence, then the facts")
  func delivered() throws {
    let delivery = """
      {"outcome":"failed","reason":"Unregistered","attempts":2,"resent":false,"next_attempt_at":null,
      "push_service":{"status":410,"reason":"Unregistered"},"binding":{"number":2,"is_current":false},
      "received":null,"clicked":{"received_at":"2026-11-30T08:00:00.000Z"}}
      """
    let view = try #require(ExplanationView(Self.object(Self.explanation("true", delivery: delivery))))
    #expect(
      view.rendered == """
        The push service refused it: Unregistered.

        outcome       failed
        reason        Unregistered
        attempts      2
        resent        no
        push_service  410 Unregistered
        binding       2, another one now
        received      -
        clicked       2026-11-30T08:00:00.000Z

        now
        platform         ios
        reachable        yes
        permission       authorized
        push_preference  yes
        push_token       active, taken over by another installation
        binding          3

        """)
  }

  @Test("why: what speaks against it now, clause by clause")
  func excluded() throws {
    let checks = """
      [{"check":"named","passes":null,"clauses":[]},{"check":"audience","passes":false,"clauses":[
      {"pointer":"/all/1","matches":false,"filter":{"field":"identified","op":"is","value":true}},
      {"pointer":"/all/2/not","matches":true,"filter":{"field":"platform","op":"is","value":"ios"}}]}]
      """
    let view = try #require(ExplanationView(Self.object(Self.explanation("false", checks: checks))))
    let text = view.rendered
    #expect(text.hasPrefix("It was no member of the message. As it is now, this speaks against it: audience.\n"))
    #expect(text.contains("named     not known"))
    #expect(
      text.contains(#"audience  NO         doesn't match {"field":"identified","op":"is","value":true} at /all/1"#))
    #expect(text.contains(#"matches {"field":"platform","op":"is","value":"ios"} at /all/2/not"#))
    #expect(ExplanationView([:]) == nil)
  }

  @Test("why: what isn't known is said to be unknown")
  func unknown() throws {
    let planning = try #require(ExplanationView(Self.object(Self.explanation("null"))))
    #expect(planning.verdict.hasPrefix("The message is still being planned"))
    let forgotten = try #require(
      ExplanationView(Self.object(#"{"reach":"forgotten","targeted":null,"delivery":null,"checks":[]}"#)))
    #expect(forgotten.verdict.contains("older than the server's retention"))
  }

  @Test(
    "The commands ask the server and print its answer as it is with --json", arguments: ["show", "timeline", "why"])
  func commands(name: String) async throws {
    let (id, installation) = ("01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70", "01936b2f-0d5a-7b3c-8e61-5a9d4c7f2b18")
    let answers = [
      "show": Self.message(engagement: "null").replacing("\n", with: ""),
      "timeline": #"{"tracking":{"events":true},"hours":[]}"#,
      "why": Self.explanation("null").replacing("\n", with: ""),
    ]
    let paths = [
      "show": "/v1/messages/\(id)", "timeline": "/v1/messages/\(id)/timeline",
      "why": "/v1/messages/\(id)/deliveries/\(installation)",
    ]
    let answer = try #require(answers[name])
    let route = Route(.get, try #require(paths[name])) { _ in
      Response(status: 200, headers: Headers(), body: Array(answer.utf8))
    }
    let server = Server(
      ServerConfiguration(threads: 1), router: Router([route]) { _, _ in Response(status: 404, headers: Headers()) },
      observe: { _ in })
    try server.start()
    let words = ["message", name, id] + (name == "why" ? [installation] : [])
    let url = ["--url", "http://127.0.0.1:\(server.port)"]
    guard case .run(_, let command, let arguments) = try CommandParser(root: CommandTree.root).parse(words + url) else {
      throw CommandFailure.usage("no command")
    }
    for form in [Output.Form.json, .text] {
      let printed = Locked<String>("")
      let output = Output(
        form: form, standardOutput: { text in printed.withLock { $0 += text } }, standardError: { _ in })
      let invocation = Invocation(
        arguments: arguments, environment: ["KITS_SERVER_KEY": "kits_sk_x"], output: output)
      try await command.action?(invocation)
      let text = printed.withLock { $0 }
      #expect(!text.isEmpty && (text == answer + "\n") == (form == .json))
    }
    await server.stop(grace: .seconds(1))
  }
}
