/// `kits_receipt_token`: lets whoever holds it report RECEIVED for one delivery (K13, K14). A header, and a MAC over it
/// and the bytes of the delivery's id; nothing of the delivery itself.
package enum ReceiptToken {
  /// In base64url.
  package static let textBytes = ((MarkHeader.byteCount + MarkHeader.macBytes) * 4 + 2) / 3

  /// What its MAC is over.
  package static func message(_ header: MarkHeader, deliveryID: [UInt8]) -> [UInt8] {
    header.bytes + deliveryID
  }
}
