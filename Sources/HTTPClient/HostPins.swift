/// SPKI SHA-256 pins for one host or one label of wildcard (`*.example.com`).
package struct HostPins: Sendable, Equatable {
  package let mask: String
  /// Base64 of the 32 bytes, without the `sha256/` in front.
  let values: [String]

  /// `pins` are written `sha256/BASE64`: at least one; a backup must differ from the primary.
  package init(mask: String, pins: [String]) throws(HTTPClientError) {
    let mask = mask.lowercased()
    guard !mask.isEmpty, mask != "*", mask != "*." else { throw .invalidPin("the host is empty") }
    guard !mask.dropFirst().contains("*") else { throw .invalidPin("only the first label may be *: \(mask)") }
    guard !pins.isEmpty else { throw .invalidPin("no pin for \(mask)") }
    var values: [String] = []
    for pin in pins {
      guard pin.hasPrefix("sha256/") else { throw .invalidPin("does not start with sha256/: \(pin)") }
      let value = String(pin.dropFirst("sha256/".count))
      guard Self.isDigest(value) else { throw .invalidPin("not the base64 of 32 bytes: \(pin)") }
      guard !values.contains(value) else { throw .invalidPin("the same pin twice for \(mask)") }
      values.append(value)
    }
    self.mask = mask
    self.values = values
  }

  package func matches(_ host: String) -> Bool {
    let host = host.lowercased()
    guard mask.hasPrefix("*.") else { return host == mask }
    guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
    return host[dot...] == mask.dropFirst()
  }

  /// 32 bytes are 43 base64 characters and one `=`.
  private static func isDigest(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 44, bytes[43] == UInt8(ascii: "=") else { return false }
    return bytes.dropLast().allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"): true
      default: false
      }
    }
  }
}
