/// What a tracked delivery adds to the payload that it shares with all others of its message.
package struct PayloadMarks: Sendable {
  private let deliveryID: String
  private let receiptToken: String?

  package init(deliveryID: String, receiptToken: String?) {
    self.deliveryID = deliveryID
    self.receiptToken = receiptToken
  }

  private static let deliveryIDKey = #","kits_delivery_id":""#
  private static let receiptTokenKey = #","kits_receipt_token":""#

  /// How much `spliced` adds: always the same for the same tracking.
  package static func byteCount(_ tracking: MessageTracking) -> Int {
    guard tracking.contains(.events) else { return 0 }
    let deliveryID = deliveryIDKey.utf8.count + DeliveryID.textBytes + 1
    guard tracking.contains(.receipts) else { return deliveryID }
    return deliveryID + receiptTokenKey.utf8.count + ReceiptToken.textBytes + 1
  }

  /// The payload, a JSON object with at least one member, with the marks as its last members. Base64url needs no
  /// escapes.
  package func spliced(into payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payload.count + Self.byteCount([.events, .receipts]))
    bytes += payload.dropLast()
    bytes += Self.deliveryIDKey.utf8
    bytes += deliveryID.utf8
    bytes.append(UInt8(ascii: "\""))
    if let receiptToken {
      bytes += Self.receiptTokenKey.utf8
      bytes += receiptToken.utf8
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}
