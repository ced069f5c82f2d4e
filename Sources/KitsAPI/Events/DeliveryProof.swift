internal import Crypto
internal import KitsCore

/// Whether an id or a token comes from a payload of ours. Nothing is read from the database for it, and of the text
/// only which key to check it with before its MAC is right.
struct DeliveryProof: Sendable {
  let keys: KeyRing

  /// The delivery whose id this is; nil for what no payload had.
  func delivery(_ text: String) -> DeliveryID? { verified(text).map(\.id) }

  /// The delivery for which the token was made; nil unless both are genuine and belong together.
  func delivery(_ text: String, receiptToken: String) -> DeliveryID? {
    guard let (id, bytes) = verified(text), id.tracking.contains(.receipts),
      receiptToken.utf8.count == ReceiptToken.textBytes, let token = Base64URL.decode(receiptToken),
      token.count == MarkHeader.byteCount + MarkHeader.macBytes, let header = MarkHeader(token),
      let key = keys.receiptTokenKey(id: header.keyID),
      key.verifyShort(
        Array(token.suffix(MarkHeader.macBytes)), message: ReceiptToken.message(header, deliveryID: bytes))
    else { return nil }
    return id
  }

  private func verified(_ text: String) -> (id: DeliveryID, bytes: [UInt8])? {
    guard text.utf8.count == DeliveryID.textBytes, let all = Base64URL.decode(text), let header = MarkHeader(all),
      let key = keys.deliveryIDKey(id: header.keyID)
    else { return nil }
    let bytes = Array(all.dropLast(MarkHeader.macBytes))
    guard key.verifyShort(Array(all.suffix(MarkHeader.macBytes)), message: bytes), let id = DeliveryID(bytes: bytes),
      id.tracking.contains(.events)
    else { return nil }
    return (id, bytes)
  }
}
