import Crypto
import Foundation
import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

/// What a payload would carry of one delivery.
struct Marks: Sendable {
  var deliveryID: String
  var receiptToken: String
}

/// A device that got deliveries.
struct EventScene: Sendable {
  let tenant: Tenant
  let device: Device
  /// What its token says of it.
  let own: DeviceToken

  var running: RunningAPI { tenant.running }

  static func make(
    _ tenant: Tenant? = nil, _ json: String = #"{"platform":"ios"}"#
  ) async throws -> EventScene {
    let tenant = if let tenant { tenant } else { try await Tenant.make() }
    let device = try await tenant.device(json)
    return EventScene(
      tenant: tenant, device: device, own: try #require(DeviceToken(device.token, ring: tenant.running.keys)))
  }

  /// A message number of a time; each call another one.
  static func message(daysAgo days: Double = 0) -> MessageNumber {
    let milliseconds = Int64((Date().timeIntervalSince1970 - days * 86_400) * 1_000)
    return MessageNumber(milliseconds << 22 | Int64.random(in: 0..<4_194_304))
  }

  func bindingNumber() async throws -> Int64 {
    try await running.count("SELECT binding_number FROM installation WHERE installation_id = '\(device.id)'")
  }

  /// The id of a delivery to this device, as it would be handed over now.
  func delivery(
    of message: MessageNumber = EventScene.message(), tracking: MessageTracking = [.events, .receipts]
  ) async throws -> DeliveryID {
    DeliveryID(
      address: DeliveryAddress(app: own.app, message: message, chunk: 0, index: 0), installation: own.installation,
      binding: try await bindingNumber(), tracking: tracking)
  }

  func marks(
    of message: MessageNumber = EventScene.message(), tracking: MessageTracking = [.events, .receipts]
  ) async throws -> Marks {
    try Marks.mint(try await delivery(of: message, tracking: tracking), running.keys)
  }

  static func item(
    _ id: String, _ type: String = "RECEIVED", version: String = "1", at time: String = Date().ISO8601Format()
  ) -> String {
    #"{"delivery_id":"\#(id)","version":\#(version),"type":"\#(type)","occurred_at":"\#(time)","more":{}}"#
  }

  func report(_ items: [String]) async throws -> Reply {
    try await running.send(
      "POST", device.path + "/notification-events", headers: device.bearer,
      json: #"{"events":[\#(items.joined(separator: ","))],"sdk":"x"}"#)
  }

  /// What became of each item: `recorded`, `TOO_OLD`.
  func told(_ items: String...) async throws -> [String] {
    let reply = try await report(items)
    try #require(reply.status == 200, "\(reply.status) \(reply.code ?? "")")
    return reply.results
  }

  func receipt(_ marks: Marks, version: String = "1") async throws -> Reply {
    try await running.send(
      "POST", "/v1/receipts",
      json: """
        {"delivery_id":"\(marks.deliveryID)","version":\(version),"receipt_token":"\(marks.receiptToken)","x":1}
        """)
  }

  /// `type source` of what is kept of the device, in order.
  func rows() async throws -> [String] {
    try await running.texts(
      """
      SELECT type || ' ' || source FROM notification_event
      WHERE app_no = \(own.app.value) AND installation_no = \(own.installation.value) ORDER BY 1
      """)
  }

  /// `type count` of the app's hours.
  func hours() async throws -> [String] {
    try await running.texts(
      "SELECT type || ' ' || sum(count) FROM event_hour WHERE app_no = \(own.app.value) GROUP BY type ORDER BY type")
  }

  func patch(_ json: String) async throws {
    let reply = try await device.patch(json)
    try #require(reply.status == 200, "\(reply.status) \(reply.code ?? "")")
  }
}

extension Marks {
  static func mint(_ id: DeliveryID, _ ring: KeyRing) throws -> Marks {
    let header = try #require(MarkHeader(keyID: ring.mintingID))
    let bytes = id.bytes(header)
    let token = ring.mintingReceiptTokenKey.shortMAC(ReceiptToken.message(header, deliveryID: bytes))
    return Marks(
      deliveryID: Base64URL.encode(bytes + ring.mintingDeliveryIDKey.shortMAC(bytes)),
      receiptToken: Base64URL.encode(header.bytes + token))
  }
}

extension Reply {
  /// The result of each item, of a refused one its code.
  var results: [String] {
    (json["results"]?.array ?? []).map { $0["code"]?.string ?? $0["result"]?.string ?? "?" }
  }

  /// `200 recorded`, or status and code.
  var told: String { "\(status) \(json["result"]?.string ?? code ?? "?")" }
}
