import Crypto
import KitsCore

extension DeliveryAddress {
  /// The `apns-id` of every attempt of this delivery: the same input gives the same id on every node (UUIDv8, RFC
  /// 9562).
  var apnsID: String {
    var input: [UInt8] = []
    input.reserveCapacity(48)
    input.append(contentsOf: "kits apns-id v1".utf8)
    func append(_ value: Int64) { withUnsafeBytes(of: value.bigEndian) { input.append(contentsOf: $0) } }
    append(app.value)
    append(message.value)
    append(Int64(chunk))
    append(Int64(index))
    var bytes = SHA256.hash(input)
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    return Self.uuidText(bytes)
  }

  /// The first 16 bytes as a UUID is written. Each request has one, so it is written in one go.
  private static func uuidText(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: 36) { text in
      var end = 0
      for index in 0..<16 {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          text[end] = UInt8(ascii: "-")
          end += 1
        }
        text[end] = digit(bytes[index] >> 4)
        text[end + 1] = digit(bytes[index] & 15)
        end += 2
      }
      return end
    }
  }

  private static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
  }
}
