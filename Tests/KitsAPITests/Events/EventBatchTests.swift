import Crypto
import Foundation
import JSON
import KitsCore
import TestSupport
import Testing

@testable import KitsAPI

/// K31: rows of `docs/record-rules.md` about requests with many items, and what many requests at once come to.
struct EventBatchTests {
  @Test("Row 25: an item that can't be read holds back none of the others")
  func malformed() async throws {
    let scene = try await EventScene.make()
    let id = try await scene.marks().deliveryID
    let items = [
      "1", "null", "[]", #"{"delivery_id":"\#(id)","version":1,"type":"RECEIVED"}"#,
      #"{"delivery_id":"\#(id)","version":1,"type":"RECEIVED","occurred_at":5}"#,
      #"{"delivery_id":"\#(id)","version":1,"type":"RECEIVED","occurred_at":"yesterday"}"#,
      EventScene.item(id, "DISMISSED"), EventScene.item(id, "received"), EventScene.item(id),
    ]
    let reply = try await scene.report(items)
    #expect(reply.results == Array(repeating: "RECORD_INVALID", count: 8) + ["recorded"])
    #expect(try await scene.rows() == ["1 1"])
  }

  @Test(
    "The request itself is an object with 1 to 100 events",
    arguments: [
      (#"{}"#, "/events MISSING"), (#"{"events":null}"#, "/events NULL_NOT_ALLOWED"),
      (#"{"events":{}}"#, "/events WRONG_TYPE"), (#"{"events":[]}"#, "/events TOO_FEW"),
      ("{\"events\":[\(Array(repeating: "1", count: 101).joined(separator: ","))]}", "/events TOO_MANY"),
    ])
  func shape(body: String, fault: String) async throws {
    let scene = try await EventScene.make()
    let reply = try await scene.running.send(
      "POST", scene.device.path + "/notification-events", headers: scene.device.bearer, json: body)
    #expect(reply.status == 422 && reply.faults == [fault])
  }

  @Test("Row 31: a hundred items are answered alone and in their order")
  func hundred() async throws {
    let scene = try await EventScene.make()
    let other = try await EventScene.make(scene.tenant)
    var items: [String] = []
    var expected: [String] = []
    for number in 0..<20 {
      let id = try await scene.marks().deliveryID
      items += [
        EventScene.item(id), EventScene.item(id, "CLICKED"), EventScene.item(id),
        EventScene.item(try await other.marks().deliveryID), EventScene.item(id, version: "\(number + 2)"),
      ]
      expected += ["recorded", "recorded", "duplicate", "DELIVERY_ID_INVALID", "VERSION_UNSUPPORTED"]
    }
    #expect(try await scene.report(items).results == expected)
    #expect(try await scene.hours() == ["1 20", "2 20"])
    #expect(try await scene.report(items).results == expected.map { $0 == "recorded" ? "duplicate" : $0 })
    #expect(try await scene.hours() == ["1 20", "2 20"])
  }

  @Test("Row 30: no outcome, no state and no ledger changes through an event (K11)")
  func stateStays() async throws {
    let scene = try await EventScene.make()
    let backend = try await Backend.make(of: scene.tenant)
    let id = try await backend.message()
    try await backend.deliver(id, state: .canceled, outcomes: [18, 34, 17])
    let number = try await scene.running.count("SELECT message_no FROM message WHERE message_id = '\(id)'")
    func standing() async throws -> [String] {
      try await scene.running.texts(
        """
        SELECT to_jsonb(m)::text || coalesce(to_jsonb(k)::text, '') || coalesce(to_jsonb(l)::text, '')
        FROM message m
        LEFT JOIN message_chunk k USING (app_no, message_no)
        LEFT JOIN message_ledger l USING (app_no, message_no)
        WHERE m.message_id = '\(id)'
        """)
    }
    let before = try await standing()
    let marks = try await scene.marks(of: MessageNumber(number))
    #expect(try await scene.told(EventScene.item(marks.deliveryID, "CLICKED")) == ["recorded"])
    #expect(try await scene.receipt(marks).told == "200 recorded")
    #expect(try await standing() == before)
    #expect(try await backend.get("/v1/messages/\(id)").json["state"]?.string == "canceled")
  }

  @Test("Row 6: what the push service took makes no event (K9)")
  func nothingInferred() async throws {
    let scene = try await EventScene.make()
    let backend = try await Backend.make(of: scene.tenant)
    let id = try await backend.message()
    try await backend.deliver(id, state: .completed, outcomes: [1, 1, 1])
    #expect(try await scene.rows() == [])
    #expect(try await scene.hours() == [])
  }

  @Test(
    "Sixteen clients of two nodes that tell the same at once: each event is recorded by one of them, and counted once")
  func atOnce() async throws {
    let scene = try await EventScene.make()
    let node = try await RunningAPI(sharing: scene.running)
    let marks = try await (0..<10).asyncMap { _ in try await scene.marks() }
    let told = try await withThrowingTaskGroup(of: [String].self) { group in
      for client in 0..<16 {
        let running = client % 2 == 0 ? scene.running : node
        group.addTask { try await Self.tell(marks, client, scene, running) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(told.count == 160)
    #expect(told.filter { $0 == "recorded" }.count == 10)
    #expect(told.filter { $0 == "duplicate" }.count == 150)
    #expect(try await scene.hours() == ["1 10"])
  }

  private static func tell(
    _ marks: [Marks], _ client: Int, _ scene: EventScene, _ running: RunningAPI
  ) async throws -> [String] {
    if client % 4 < 2 {
      let items = marks.map { EventScene.item($0.deliveryID) }
      let reply = try await running.send(
        "POST", scene.device.path + "/notification-events", headers: scene.device.bearer,
        json: "{\"events\":[\(items.joined(separator: ","))]}")
      return reply.results
    }
    return try await marks.asyncMap { marks in
      try await running.send(
        "POST", "/v1/receipts",
        json: #"{"delivery_id":"\#(marks.deliveryID)","version":1,"receipt_token":"\#(marks.receiptToken)"}"#
      ).json["result"]?.string ?? "?"
    }
  }

  @Test("Two hundred devices that answer one message at once are all recorded, in one hour's count")
  func burst() async throws {
    let tenant = try await Tenant.make()
    let message = EventScene.message()
    let scenes = try await (0..<200).asyncMap { _ in try await EventScene.make(tenant) }
    let statuses = try await withThrowingTaskGroup(of: String.self) { group in
      for scene in scenes {
        group.addTask { try await scene.receipt(try await scene.marks(of: message)).told }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: "200 recorded", count: 200))
    #expect(try await scenes[0].hours() == ["1 200"])
  }

  @Test("Beyond its rate an app is told when to come again; each item counts (429)")
  func rate() async throws {
    let scene = try await EventScene.make()
    let limit = RateLimit(perSecond: 1, burst: 150)
    let node = try await RunningAPI(sharing: scene.running, rates: RateLimits(events: limit))
    let id = try await scene.marks().deliveryID
    let body = "{\"events\":[\(Array(repeating: EventScene.item(id), count: 100).joined(separator: ","))]}"
    func send() async throws -> Reply {
      try await node.send("POST", scene.device.path + "/notification-events", headers: scene.device.bearer, json: body)
    }
    for _ in 0..<2 { #expect(try await send().status == 200) }
    let refused = try await send()
    #expect(refused.told == "429 RATE_LIMITED" && refused.json["retryable"] == .bool(true))
    #expect(Int(refused.header("Retry-After") ?? "").map { (40...60).contains($0) } == true)
    let marks = try await scene.marks()
    let receipt = try await node.send(
      "POST", "/v1/receipts",
      json: #"{"delivery_id":"\#(marks.deliveryID)","version":1,"receipt_token":"\#(marks.receiptToken)"}"#)
    #expect(receipt.status == 429)
    // Another app has its own.
    let other = try await EventScene.make()
    let others = try await other.marks()
    let fine = try await node.send(
      "POST", "/v1/receipts",
      json: #"{"delivery_id":"\#(others.deliveryID)","version":1,"receipt_token":"\#(others.receiptToken)"}"#)
    #expect(fine.told == "200 recorded")
  }

  @Test("A device whose extension tells too much is told when to come again, and no other is (429)")
  func receiptRate() async throws {
    let (scene, other) = (try await EventScene.make(), try await EventScene.make())
    let limit = RateLimit(perSecond: 1, burst: 2)
    let node = try await RunningAPI(sharing: scene.running, rates: RateLimits(installation: limit))
    func send(_ scene: EventScene) async throws -> Reply {
      let marks = try await scene.marks()
      return try await node.send(
        "POST", "/v1/receipts",
        json: #"{"delivery_id":"\#(marks.deliveryID)","version":1,"receipt_token":"\#(marks.receiptToken)"}"#)
    }
    var told: [Int] = []
    for _ in 0..<20 where told.last != 429 { told.append(try await send(scene).status) }
    #expect(told.last == 429 && told.dropLast().allSatisfy { $0 == 200 })
    #expect(try await send(other).status == 200)
  }

  @Test("A receipt is small, and says nothing about unknown members")
  func receiptBodies() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    let faults = try await scene.running.send("POST", "/v1/receipts", json: #"{"delivery_id":1}"#)
    #expect(
      faults.faults == ["/version MISSING", "/delivery_id WRONG_TYPE", "/receipt_token MISSING"])
    let padding = String(repeating: " ", count: Limits.receiptBodyBytes)
    let large = try await scene.running.send(
      "POST", "/v1/receipts",
      json: #"{"delivery_id":"\#(marks.deliveryID)","version":1,"receipt_token":"\#(marks.receiptToken)"}"# + padding)
    #expect(large.status == 413)
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
