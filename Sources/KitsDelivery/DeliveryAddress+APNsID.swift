import Crypto
import KitsCore

extension DeliveryAddress {
  /// The `apns-id` of every attempt of this delivery: the same input gives the same id on every node (UUIDv8, RFC
  /// 9562).
  var apnsID: String {
    var input = Array("kits apns-id v1".utf8)
    func append(_ value: Int64) { withUnsafeBytes(of: value.bigEndian) { input.append(contentsOf: $0) } }
    append(app.value)
    append(message.value)
    append(Int64(chunk))
    append(Int64(index))
    var bytes = Array(SHA256.hash(input).prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    let hex = Array(Hex.encode(bytes).utf8)
    let parts = [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]]
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }
}
