import APNs
import Crypto
import FoundationEssentials
import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsDelivery

/// K9, K13: what a payload carries of its delivery.
struct MarkTests {
  static let address = DeliveryAddress(app: AppNumber(7), message: MessageNumber(.max), chunk: 3, index: 999)
  private static let payload = Array(#"{"aps":{"alert":{"title":"a"}},"kits_version":1}"#.utf8)

  private func id(_ tracking: MessageTracking, binding: Int64 = 4) -> DeliveryID {
    DeliveryID(address: Self.address, installation: InstallationNumber(11), binding: binding, tracking: tracking)
  }

  @Test("A message that tracks nothing is sent as it was rendered")
  func untracked() {
    #expect(TestMarks.marker.payload(Self.payload, of: id([])) == Self.payload)
    #expect(PayloadMarks.byteCount([]) == 0)
  }

  @Test(
    "What is reserved is what is added, and the payload stays an object with its members first",
    arguments: [
      (MessageTracking.events, ["aps", "kits_version", "kits_delivery_id"]),
      ([.events, .receipts], ["aps", "kits_version", "kits_delivery_id", "kits_receipt_token"]),
    ] as [(MessageTracking, [String])])
  func spliced(tracking: MessageTracking, members: [String]) throws {
    for number in [Int64(0), 1, .max] {
      let payload = TestMarks.marker.payload(Self.payload, of: id(tracking, binding: number))
      #expect(payload.count == Self.payload.count + PayloadMarks.byteCount(tracking))
      #expect(try JSON.parse(payload).object?.keys == members)
    }
  }

  @Test(
    "An id reads back as the delivery; its layout doesn't change with the length of the key's id",
    arguments: ["a", "k1", "12345678"])
  func layout(keyID: String) throws {
    let header = try #require(MarkHeader(keyID: keyID))
    let bytes = id([.events, .receipts]).bytes(header)
    #expect(bytes.count == DeliveryID.byteCount)
    #expect(MarkHeader(bytes) == header)
    #expect(DeliveryID(bytes: bytes) == id([.events, .receipts]))
    #expect(DeliveryID(bytes: Array(bytes.dropLast())) == nil)
    #expect(
      Base64URL.encode(bytes + Array(repeating: 255, count: MarkHeader.macBytes)).utf8.count == DeliveryID.textBytes)
  }

  @Test("A key's id that doesn't fit is none", arguments: ["", "123456789", "a\0"])
  func keyIDs(keyID: String) {
    #expect(MarkHeader(keyID: keyID) == nil)
  }

  @Test("A header that is padded with anything else is none")
  func padding() {
    #expect(MarkHeader([1, 97, 0, 98, 0, 0, 0, 0, 0]) == nil)
    #expect(MarkHeader([2, 97, 0, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(MarkHeader([1, 97]) == nil)
  }

  @Test("Every attempt carries the same marks, first sends, resends and retries; another binding other ones")
  func attempts() async throws {
    try await World.with(installations: 2) { world in
      let sent = try await world.send(tracking: [.events, .receipts])
      _ = try await world.plan()
      let window = try #require(try await world.node.claimChunk(of: sent.open, window: 10))
      let message = try #require(try await world.node.dispatchable(sent.open))
      #expect(message.tracking == [.events, .receipts])
      let plan = WindowPlan(window, of: message)
      let payloads = plan.sends.map(\.notification.payload)
      #expect(Set(payloads).count == 2)
      try await world.expireLeases()
      let again = try #require(try await world.node.claimChunk(of: sent.open, window: 10))
      #expect(WindowPlan(again, of: message).sends.map(\.notification.payload) == payloads)
      let first = try #require(plan.sends.first)
      let retried = message.notification(
        to: first.token, first.recipient.number, device: try #require(first.recipient.device),
        address: DeliveryAddress(app: sent.open.app, message: sent.open.message, chunk: 0, index: 0),
        marking: TestMarks.marker)
      #expect(retried.payload == payloads[0])
      try await world.bind(world.members[0], to: "u")
      try await world.expireLeases()
      let moved = try #require(try await world.node.claimChunk(of: sent.open, window: 10))
      let changed = WindowPlan(moved, of: message).sends.map(\.notification.payload)
      #expect(changed[0] != payloads[0] && changed[1] == payloads[1])
    }
  }

  @Test(
    "A single delivery carries its marks too, and an untracked message none",
    arguments: [[], .events, [.events, .receipts]] as [MessageTracking])
  func singles(tracking: MessageTracking) async throws {
    try await World.with(installations: 1) { world in
      _ = try await world.send(.installations([world.members[0].id]), tracking: tracking)
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 10)
      let single = try #require(claimed.first)
      #expect(single.message.tracking == tracking)
      let payload = try #require(WindowPlan(single.window, of: single.message).sends.first).notification.payload
      #expect(payload.count == single.message.payloads.base.count + PayloadMarks.byteCount(tracking))
    }
  }
}
