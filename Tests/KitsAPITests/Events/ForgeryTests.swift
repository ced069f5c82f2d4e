import Crypto
import Foundation
import JSON
import KitsCore
import TestSupport
import Testing

@testable import KitsAPI

/// K31: rows of `docs/record-rules.md` about ids and tokens that are none. Whatever is refused leaves nothing behind.
struct ForgeryTests {
  private func expectNothing(_ scenes: EventScene...) async throws {
    for scene in scenes {
      #expect(try await scene.rows() == [])
      #expect(try await scene.hours() == [])
    }
  }

  @Test("Row 22: an id is good for its installation alone, of its app alone (K9)")
  func otherInstallation() async throws {
    let scene = try await EventScene.make()
    let neighbour = try await EventScene.make(scene.tenant)
    let stranger = try await EventScene.make()
    let id = try await scene.marks().deliveryID
    for other in [neighbour, stranger] {
      #expect(
        try await other.told(EventScene.item(id), EventScene.item(id, "CLICKED")) == [
          "DELIVERY_ID_INVALID", "DELIVERY_ID_INVALID",
        ])
    }
    try await expectNothing(scene, neighbour, stranger)
  }

  @Test("Row 23: every flipped bit, and whatever was cut off, lengthened or made up")
  func changedIDs() async throws {
    let scene = try await EventScene.make()
    let id = try await scene.marks().deliveryID
    let bytes = try #require(Base64URL.decode(id))
    var forged = (0..<bytes.count * 8).map { bit in
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      return Base64URL.encode(changed)
    }
    forged += [
      "", "x", String(id.dropLast()), String(id.dropLast(4)), id + "A", id + "AAAA", id + "=", " " + id,
      id.uppercased(),
      Base64URL.encode(Array(repeating: 0, count: bytes.count)), "01936b2f-0d5a-7b3c-8e61-5a9d4c7f2b18",
      String(id.dropLast(22)) + String(repeating: "A", count: 22),
    ]
    for start in stride(from: 0, to: forged.count, by: 100) {
      let items = forged[start..<min(start + 100, forged.count)].map { EventScene.item($0) }
      let reply = try await scene.report(items)
      #expect(reply.status == 200)
      #expect(reply.results == Array(repeating: "DELIVERY_ID_INVALID", count: items.count))
      #expect(reply.json["results"]?.array?.allSatisfy { $0["retryable"] == .bool(false) } == true)
    }
    try await expectNothing(scene)
    #expect(try await scene.told(EventScene.item(id)) == ["recorded"])
  }

  @Test("Row 23: an id made under another purpose, or under a key that isn't there")
  func otherKeys() async throws {
    let scene = try await EventScene.make()
    let delivery = try await scene.delivery()
    let header = try #require(MarkHeader(keyID: "k1"))
    let bytes = delivery.bytes(header)
    var forged = [Base64URL.encode(bytes + scene.running.keys.mintingReceiptTokenKey.shortMAC(bytes))]
    if let key = scene.running.keys.deviceTokenKey(id: "k1") {
      forged.append(Base64URL.encode(bytes + key.shortMAC(bytes)))
    }
    forged.append(try Marks.mint(delivery, try TestKeys.ring(["k2"], minting: "k2")).deliveryID)
    let untracked = DeliveryID(
      address: delivery.address, installation: delivery.installation, binding: delivery.binding, tracking: [])
    forged.append(try Marks.mint(untracked, scene.running.keys).deliveryID)
    #expect(
      try await scene.report(forged.map { EventScene.item($0) }).results
        == Array(repeating: "DELIVERY_ID_INVALID", count: 4))
    try await expectNothing(scene)
  }

  @Test("An id under an older key counts as long as the key is there; the new one is minted under")
  func rotation() async throws {
    let scene = try await EventScene.make()
    let ring = try TestKeys.ring(["k2", "k1"], minting: "k2")
    let node = try await RunningAPI(url: scene.running.url, keys: ring)
    let delivery = try await scene.delivery()
    let (old, new) = (try Marks.mint(delivery, scene.running.keys), try Marks.mint(delivery, ring))
    #expect(old.deliveryID != new.deliveryID)
    for (marks, expected) in [(old, "200 recorded"), (new, "200 duplicate")] {
      let reply = try await node.send(
        "POST", "/v1/receipts",
        json: #"{"delivery_id":"\#(marks.deliveryID)","version":1,"receipt_token":"\#(marks.receiptToken)"}"#)
      #expect(reply.told == expected)
    }
    // Their parts don't mix: the token is over the id's bytes.
    let mixed = Marks(deliveryID: old.deliveryID, receiptToken: new.receiptToken)
    #expect(try await scene.receipt(mixed).told == "401 RECEIPT_TOKEN_INVALID")
  }

  @Test(
    "Row 24: the version is exactly the integer 1 (K9)",
    arguments: ["0", "2", "-1", "\"1\"", "1.0", "1e0", "10", "null", "true", "[1]", "{}", "01"])
  func versions(version: String) async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    let reply = try await scene.report([EventScene.item(marks.deliveryID, version: version)])
    let receipt = try await scene.receipt(marks, version: version)
    if version == "01" {
      #expect(reply.status == 400 && receipt.status == 400)
    } else {
      #expect(reply.results == ["VERSION_UNSUPPORTED"])
      #expect(receipt.told == "422 VERSION_UNSUPPORTED")
    }
    try await expectNothing(scene)
  }

  @Test("Row 24: nor may it be left out")
  func noVersion() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    let reply = try await scene.report([#"{"delivery_id":"\#(marks.deliveryID)","type":"RECEIVED"}"#])
    #expect(reply.results == ["VERSION_UNSUPPORTED"])
    let receipt = try await scene.running.send(
      "POST", "/v1/receipts",
      json: #"{"delivery_id":"\#(marks.deliveryID)","receipt_token":"\#(marks.receiptToken)"}"#)
    #expect(receipt.status == 422 && receipt.faults == ["/version MISSING"])
    try await expectNothing(scene)
  }

  @Test("Row 26: a token is good for its delivery alone (K13)")
  func otherTokens() async throws {
    let scene = try await EventScene.make()
    let neighbour = try await EventScene.make(scene.tenant)
    let stranger = try await EventScene.make()
    let own = try await scene.delivery()
    let place = own.address
    let others = [
      own.with(address: DeliveryAddress(app: place.app, message: place.message, chunk: 1, index: 0)),
      own.with(address: DeliveryAddress(app: place.app, message: place.message, chunk: 0, index: 1)),
      own.with(address: DeliveryAddress(app: place.app, message: EventScene.message(), chunk: 0, index: 0)),
      own.with(address: DeliveryAddress(app: stranger.own.app, message: place.message, chunk: 0, index: 0)),
      own.with(installation: neighbour.own.installation), own.with(installation: stranger.own.installation),
      own.with(binding: own.binding + 1), own.with(tracking: .receipts),
    ]
    let marks = try Marks.mint(own, scene.running.keys)
    for other in others {
      let token = try Marks.mint(other, scene.running.keys).receiptToken
      let reply = try await scene.receipt(Marks(deliveryID: marks.deliveryID, receiptToken: token))
      #expect(reply.told == "401 RECEIPT_TOKEN_INVALID")
      #expect(reply.json["retryable"] == .bool(false))
    }
    try await expectNothing(scene, neighbour, stranger)
    #expect(try await scene.receipt(marks).told == "200 recorded")
  }

  @Test("Row 26: every flipped bit of a token or of the id beside it, and what was cut off")
  func changedTokens() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    let token = try #require(Base64URL.decode(marks.receiptToken))
    var forged = (0..<token.count * 8).map { bit in
      var changed = token
      changed[bit / 8] ^= 1 << (bit % 8)
      return Marks(deliveryID: marks.deliveryID, receiptToken: Base64URL.encode(changed))
    }
    let id = try #require(Base64URL.decode(marks.deliveryID))
    for place in id.indices {
      var changed = id
      changed[place] ^= 0x10
      forged.append(Marks(deliveryID: Base64URL.encode(changed), receiptToken: marks.receiptToken))
    }
    for text in ["x", String(marks.receiptToken.dropLast()), marks.receiptToken + "A", marks.deliveryID] {
      forged.append(Marks(deliveryID: marks.deliveryID, receiptToken: text))
    }
    for marks in forged {
      #expect(try await scene.receipt(marks).told == "401 RECEIPT_TOKEN_INVALID")
    }
    try await expectNothing(scene)
  }

  @Test("Row 27: a message without track_receipts has no receipts, even under a token of the right key")
  func noReceipts() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks(tracking: .events)
    #expect(try await scene.receipt(marks).told == "401 RECEIPT_TOKEN_INVALID")
    try await expectNothing(scene)
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["recorded"])
  }

  @Test("Row 28: without its installation a delivery is nobody's")
  func deleted() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    #expect(try await scene.device.delete().status == 204)
    #expect(try await scene.receipt(marks).told == "409 BINDING_CHANGED")
    let reply = try await scene.report([EventScene.item(marks.deliveryID)])
    #expect(reply.told == "401 DEVICE_TOKEN_INVALID")
    let empty = try await scene.report([EventScene.item("x")])
    #expect(empty.told == "401 DEVICE_TOKEN_INVALID")
    try await expectNothing(scene)
  }
}

extension DeliveryID {
  fileprivate func with(
    address: DeliveryAddress? = nil, installation: InstallationNumber? = nil, binding: Int64? = nil,
    tracking: MessageTracking? = nil
  ) -> DeliveryID {
    DeliveryID(
      address: address ?? self.address, installation: installation ?? self.installation,
      binding: binding ?? self.binding, tracking: tracking ?? self.tracking)
  }
}
