import Crypto
import KitsCore

/// Writes what a tracked delivery is recognised by into its payload, right before it is handed over.
struct DeliveryMarker: Sendable {
  private let header: MarkHeader
  private let idKey: HMACKey
  private let tokenKey: HMACKey

  /// Nil for a ring that the configuration would have refused: its minting key has an id that is too long.
  init?(ring: KeyRing) {
    guard let header = MarkHeader(keyID: ring.mintingID) else { return nil }
    self.header = header
    idKey = ring.mintingDeliveryIDKey
    tokenKey = ring.mintingReceiptTokenKey
  }

  /// The payload as it is when the message tracks nothing.
  func payload(_ payload: [UInt8], of id: DeliveryID) -> [UInt8] {
    id.tracking.contains(.events) ? marks(of: id).spliced(into: payload) : payload
  }

  private func marks(of id: DeliveryID) -> PayloadMarks {
    let bytes = id.bytes(header)
    let text = Base64URL.encode(bytes + idKey.shortMAC(bytes))
    guard id.tracking.contains(.receipts) else { return PayloadMarks(deliveryID: text, receiptToken: nil) }
    let mac = tokenKey.shortMAC(ReceiptToken.message(header, deliveryID: bytes))
    return PayloadMarks(deliveryID: text, receiptToken: Base64URL.encode(header.bytes + mac))
  }
}
