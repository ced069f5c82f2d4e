import Crypto

/// The bytes of `POST /v1/receipts`; each use is the receipt of another delivery, marked as the server marks it. The
/// layout is written a second time here, so that the server takes what somebody else made.
struct ReceiptRequest {
  let bytes: [UInt8]
  private let id: Int
  private let token: Int
  private let ring: KeyRing
  private let header: [UInt8]

  private static let emptyID = String(repeating: "d", count: 88)
  private static let emptyToken = String(repeating: "r", count: 34)

  struct Delivery {
    let app: Int
    let message: Int
    let installation: Int
  }

  init(ring: KeyRing, port: Int) {
    let body = #"{"delivery_id":"\#(Self.emptyID)","version":1,"receipt_token":"\#(Self.emptyToken)"}"#
    let text = """
      POST /v1/receipts HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """
    let bytes = Array(text.utf8)
    func place(of part: String) -> Int {
      let part = Array(part.utf8)
      return (0...(bytes.count - part.count)).first { bytes[$0..<$0 + part.count].elementsEqual(part) } ?? 0
    }
    self.bytes = bytes
    self.ring = ring
    id = place(of: Self.emptyID)
    token = place(of: Self.emptyToken)
    header = [1] + ring.mintingID.utf8 + [UInt8](repeating: 0, count: 8 - ring.mintingID.utf8.count)
  }

  func renew(_ copy: UnsafeMutablePointer<UInt8>, _ delivery: Delivery) {
    var bytes = header
    func append(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
    append(Int64(delivery.app))
    append(Int64(delivery.message))
    append(Int32(0))
    append(Int32(0))
    append(Int64(delivery.installation))
    append(Int64(1))
    // Events and receipts.
    append(UInt8(3))
    let id = Base64URL.encode(bytes + ring.mintingDeliveryIDKey.shortMAC(bytes))
    let token = Base64URL.encode(header + ring.mintingReceiptTokenKey.shortMAC(header + bytes))
    (copy + self.id).update(from: Array(id.utf8), count: Self.emptyID.utf8.count)
    (copy + self.token).update(from: Array(token.utf8), count: Self.emptyToken.utf8.count)
  }
}
