import Crypto
import Foundation
import JSON
import TestSupport
import Testing

/// Events reach a receiver that is another program in another language, and verifies with another implementation.
@Suite("Webhooks end to end", .serialized)
struct WebhookTests {
  static let settings = [
    "KITS_WEBHOOK_ALLOW_PRIVATE": "on", "KITS_WEBHOOK_RETRY_SECONDS": "1", "KITS_LEASE_SECONDS": "5",
  ]
  static let life = ["message.created", "message.started", "message.completed"]

  @discardableResult
  private func hook(_ server: RunningServer, _ url: String, types: [String] = life) async throws -> String {
    let list = types.map { "\"\($0)\"" }.joined(separator: ",")
    let answer = try await server.call(
      "POST", "/v1/webhooks",
      json: #"{"url":"\#(url)","event_types":[\#(list)],"secret":"\#(WebhookReceiver.secret)"}"#)
    guard answer.status == 201, let id = answer.object["id"]?.string else { throw TestFailure(answer.text) }
    return id
  }

  private func webhook(_ server: RunningServer, _ id: String) async throws -> JSONObject {
    try await server.call("GET", "/v1/webhooks/\(id)").object
  }

  /// Messages to one device, to the end.
  private func messages(_ server: RunningServer, _ count: Int) async throws -> [String] {
    let device = try await server.register(token: String(repeating: "ab", count: 32))
    var ids: [String] = []
    for _ in 0..<count {
      ids.append(
        try await server.send(#"{"target": {"installation_ids": ["\#(device.id)"]}, "title": "Hello"}"#))
    }
    for id in ids { _ = try await server.settled(id) }
    return ids
  }

  /// The types that a path has taken, by message, once each message has all of them.
  private func whole(
    _ receiver: WebhookReceiver, _ path: String, _ messages: [String]
  ) async throws -> [String: [String]] {
    try await eventually("\(path) has everything", within: .seconds(60)) {
      let types = Dictionary(grouping: receiver.taken(path), by: \.message).mapValues { $0.map(\.type) }
      return messages.allSatisfy { types[$0]?.count ?? 0 >= Self.life.count } ? types : nil
    }
  }

  @Test("Under faults and from two nodes each event arrives, in order per message, with a signature that verifies")
  func faults() async throws {
    let receiver = try await WebhookReceiver()
    try await withServer(settings: Self.settings) { server in
      let paths = ["ok", "flaky", "reset", "slow", "redirect", "huge"]
      for path in paths { try await hook(server, receiver.url(path)) }
      let node = try await server.anotherNode("--only", "delivery")
      defer { node.signal(SIGKILL) }
      let ids = try await messages(server, 4)
      for path in paths {
        let types = try await whole(receiver, path, ids)
        for id in ids { #expect(types[id] == Self.life, "\(path)") }
      }
      let requests = receiver.requests
      let unverified = requests.filter { !$0.isVerified }
      #expect(unverified.isEmpty)
      #expect(!requests.contains { $0.path == "/inside" })
      // The same event is the same text however often it comes, and never comes twice at once.
      let bodies = Dictionary(grouping: requests, by: \.id).mapValues { Set($0.map(\.body)).count }
      #expect(bodies.values.allSatisfy { $0 == 1 })
      #expect(requests.filter { $0.path != "/slow" }.allSatisfy { $0.atOnce == 1 })
      // The feed has the same events with the same ids.
      let feed = try await server.call("GET", "/v1/events?limit=500").object["data"]?.array ?? []
      let feedIDs = Set(feed.compactMap { $0.object?["id"]?.string })
      #expect(Set(receiver.taken("ok").map(\.id)) == feedIDs)
      #expect(!server.log.contains(WebhookReceiver.secret.dropFirst(6)))
      let metrics = try await HTTPCall("GET", server.adminURL + "/metrics").answer().text
      #expect(metrics.contains(#"kits_webhook_deliveries_total{result="delivered"}"#))
      #expect(metrics.contains("kits_webhook_lag_seconds"))
    }
  }

  @Test("An event that is refused holds up its own message alone, and comes in order once it is taken")
  func poison() async throws {
    let receiver = try await WebhookReceiver()
    try await withServer(settings: Self.settings) { server in
      try await hook(server, receiver.url("poison"), types: ["message.created", "message.completed"])
      // Everything, until the message has its id.
      try receiver.refuse(["app_id"])
      let first = try await server.send(#"{"target": {"everyone": true}, "title": "One"}"#)
      _ = try await eventually("it was refused") { receiver.requests.contains { $0.status == 500 } ? true : nil }
      try receiver.refuse([first])
      let second = try await server.send(#"{"target": {"everyone": true}, "title": "Two"}"#)
      let types = try await eventually("the second one arrives") {
        let types = receiver.taken("poison").filter { $0.message == second }.map(\.type)
        return types.count == 2 ? types : nil
      }
      #expect(types == ["message.created", "message.completed"])
      #expect(receiver.taken("poison").allSatisfy { $0.message == second })
      // What stands behind it wasn't tried.
      #expect(receiver.requests.allSatisfy { $0.status == 200 || $0.type == "message.created" })
      try receiver.refuse([])
      let later = try await eventually("the first one arrives") {
        let types = receiver.taken("poison").filter { $0.message == first }.map(\.type)
        return types.count == 2 ? types : nil
      }
      #expect(later == ["message.created", "message.completed"])
    }
  }

  @Test("A certificate that nobody trusts gets nothing; with its anchor it does")
  func certificates() async throws {
    let place = NSTemporaryDirectory() + "kits-webhook-tls-\(UUID().uuidString.lowercased())"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: place) }
    let made = Shell.run([
      "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
      place + "/key.pem", "-out", place + "/certificate.pem", "-subj", "/CN=localhost", "-addext",
      "subjectAltName=DNS:localhost", "-days", "2",
    ])
    try #require(made.status == 0, "\(made.text)")
    let files = (certificate: place + "/certificate.pem", key: place + "/key.pem")
    let receiver = try await WebhookReceiver(certificate: files)
    try await withServer(settings: Self.settings) { server in
      let id = try await hook(server, "https://localhost:\(receiver.port)/ok")
      // The name isn't the certificate's.
      let other = try await hook(server, "https://127.0.0.1:\(receiver.port)/ok")
      let ids = try await messages(server, 1)
      let problems = try await eventually("both failed") {
        var problems: [String] = []
        for hook in [id, other] {
          let state = try await webhook(server, hook)["deliveries"]?.object
          if let problem = state?["last_failure"]?.string { problems.append(problem) }
        }
        return problems.count == 2 ? problems : nil
      }
      #expect(problems.allSatisfy { $0.contains("(libcurl 60)") })
      #expect(receiver.requests.isEmpty)
      let node = try await server.anotherNode("--only", "delivery", changes: ["KITS_WEBHOOK_CA": files.certificate])
      defer { node.signal(SIGKILL) }
      server.signal(SIGTERM)
      _ = try await server.ending()
      let types = try await whole(receiver, "ok", ids)
      #expect(types[ids[0]] == Self.life)
    }
  }

  @Test("One that is switched off, removed or answers 410 gets nothing more")
  func stops() async throws {
    let receiver = try await WebhookReceiver()
    try await withServer(settings: Self.settings) { server in
      let off = try await hook(server, receiver.url("off"))
      let removed = try await hook(server, receiver.url("removed"))
      let gone = try await hook(server, receiver.url("gone"))
      let witness = try await hook(server, receiver.url("ok"))
      let first = try await messages(server, 1)
      for path in ["off", "removed", "ok"] { _ = try await whole(receiver, path, first) }
      let state = try await eventually("410 switches it off") {
        let state = try await webhook(server, gone)
        return state["enabled"]?.bool == false ? state : nil
      }
      #expect(state["disabled_reason"]?.string == "gone")
      #expect(try await server.call("PATCH", "/v1/webhooks/\(off)", json: #"{"enabled":false}"#).status == 200)
      #expect(try await server.call("DELETE", "/v1/webhooks/\(removed)").status == 204)
      let second = try await messages(server, 3)
      _ = try await whole(receiver, "ok", second)
      for path in ["off", "removed"] { #expect(receiver.taken(path).allSatisfy { first.contains($0.message) }) }
      #expect(receiver.requests.count { $0.path == "/gone" } == 1)
      // Switched on again, it gets what it missed.
      #expect(try await server.call("PATCH", "/v1/webhooks/\(off)", json: #"{"enabled":true}"#).status == 200)
      let types = try await whole(receiver, "off", second)
      for id in second { #expect(types[id] == Self.life) }
      #expect(try await webhook(server, witness)["enabled"]?.bool == true)
    }
  }

  @Test("During a rotation both secrets sign; another secret verifies nothing")
  func rotation() async throws {
    let receiver = try await WebhookReceiver()
    try await withServer(settings: Self.settings) { server in
      let id = try await hook(server, receiver.url("ok"))
      let answer = try await server.call("POST", "/v1/webhooks/\(id)/secret/rotate", json: "{}")
      let secret = try #require(answer.object["secret"]?.string)
      try receiver.trust([WebhookReceiver.secret, secret])
      _ = try await whole(receiver, "ok", try await messages(server, 1))
      #expect(receiver.requests.allSatisfy { $0.isVerified })
      try receiver.trust(["whsec_" + Base64.encode(SystemRandom.bytes(32))])
      let before = receiver.requests.count
      _ = try await whole(receiver, "ok", try await messages(server, 1))
      #expect(receiver.requests.dropFirst(before).allSatisfy { !$0.isVerified })
      #expect(!server.log.contains(secret.dropFirst(6)))
    }
  }

  @Test("After kill -9 every event arrives all the same")
  func kill() async throws {
    let receiver = try await WebhookReceiver()
    try await withServer(settings: Self.settings) { server in
      try await hook(server, receiver.url("flaky"))
      var ids = try await messages(server, 10)
      server.signal(SIGKILL)
      _ = try await server.ending()
      try await server.restart()
      ids += try await messages(server, 2)
      let types = try await whole(receiver, "flaky", ids)
      for id in ids { #expect(types[id] == Self.life) }
    }
  }

  @Test("Without the setting for development nothing private is taken, and nothing that became private is reached")
  func privateAddresses() async throws {
    let receiver = try await WebhookReceiver()
    try await withServer(settings: ["KITS_WEBHOOK_RETRY_SECONDS": "1"]) { server in
      let refused = try await server.call(
        "POST", "/v1/webhooks", json: #"{"url":"\#(receiver.url("ok"))","event_types":["message.created"]}"#)
      #expect(refused.status == 422)
      let ids = [
        try await hook(server, "https://hooks.example.com/"), try await hook(server, "https://hooks.example.com/2"),
      ]
      // As if its name had changed where it leads after it was registered.
      try await server.query(
        """
        UPDATE webhook SET url = CASE url
          WHEN 'https://hooks.example.com/' THEN 'https://localhost:\(receiver.port)/ok'
          ELSE 'http://127.0.0.1:\(receiver.port)/ok' END
        """)
      _ = try await messages(server, 1)
      let failures = try await eventually("both failed") {
        var failures: [String] = []
        for id in ids {
          let failure = try await webhook(server, id)["deliveries"]?.object?["last_failure"]?.string
          if let failure { failures.append(failure) }
        }
        return failures.count == 2 ? failures : nil
      }
      #expect(failures[0] == "the host's address is not public")
      #expect(failures[1].contains("libcurl 1)"))
      #expect(receiver.requests.isEmpty)
    }
  }
}
