/// Extra certificate authorities, kept as PEM because that is what libcurl reads.
package struct TrustAnchors: Sendable, Equatable {
  let pem: [UInt8]

  private static let limit = 1_048_576
  private static let marker = Array("-----BEGIN CERTIFICATE-----".utf8)

  /// PEM with one or more blocks, or one DER certificate.
  package init(_ bytes: [UInt8]) throws(HTTPClientError) {
    guard !bytes.isEmpty else { throw .invalidTrustAnchors("empty") }
    guard bytes.count <= Self.limit else { throw .invalidTrustAnchors("larger than \(Self.limit) bytes") }
    if Self.contains(bytes, Self.marker) {
      pem = bytes
    } else if bytes[0] == 0x30, bytes.count > 64 {
      pem = Self.wrap(bytes)
    } else {
      throw .invalidTrustAnchors("neither PEM certificates nor a DER certificate")
    }
  }

  /// A PEM file that the caller has read already, or the path of one.
  package init(file path: String) throws(HTTPClientError) {
    try self.init(try Files.read(path, limit: Self.limit))
  }

  private static func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
    guard bytes.count >= needle.count else { return false }
    return (0...(bytes.count - needle.count)).contains { start in
      bytes[start] == needle[0] && bytes[start..<(start + needle.count)].elementsEqual(needle)
    }
  }

  /// DER as one PEM block, 64 characters a line.
  private static func wrap(_ der: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = marker + [0x0a]
    for start in stride(from: 0, to: der.count, by: 3) {
      let group = der[start..<min(start + 3, der.count)]
      let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for place in 0..<4 {
        let present = place <= group.count
        text.append(present ? alphabet[Int(word >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
      }
      if start % 48 == 45 { text.append(0x0a) }
    }
    return text + Array("\n-----END CERTIFICATE-----\n".utf8)
  }
}
