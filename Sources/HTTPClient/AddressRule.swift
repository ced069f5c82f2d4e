internal import CCurl
import Glibc

/// Which addresses a connection may go to. It is asked with what a name resolved to, right before each connection is
/// opened, so that no spelling of an address and no change of a name gets around it.
package enum AddressRule: Sendable, Equatable {
  case any
  /// Addresses of the internet at large alone: nothing private, local, reserved or multicast, however it is embedded.
  case publicOnly

  /// An address in network order: 4 or 16 bytes.
  package func allows(_ address: [UInt8]) -> Bool {
    switch self {
    case .any: true
    case .publicOnly: address.count == 4 ? Self.isPublic(v4: address) : Self.isPublic(v6: address)
    }
  }

  func allows(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
    if self == .any { return true }
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return false }
    let place = UnsafeRawPointer(address) + offset
    switch (address.pointee.family, Int(address.pointee.addrlen)) {
    case (AF_INET, MemoryLayout<sockaddr_in>.size...):
      return allows(withUnsafeBytes(of: place.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) })
    case (AF_INET6, MemoryLayout<sockaddr_in6>.size...):
      return allows(withUnsafeBytes(of: place.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) })
    default: return false
    }
  }

  /// IANA's special-purpose registry of IPv4 and what is multicast or reserved.
  private static let special4: [(network: [UInt8], bits: Int)] = [
    ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8), ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24), ([192, 88, 99, 0], 24), ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15), ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24), ([224, 0, 0, 0], 4), ([240, 0, 0, 0], 4),
  ]

  /// Within 2000::/3, the only part of IPv6 that is given out: protocols, tunnels, documentation.
  private static let special6: [(network: [UInt8], bits: Int)] = [
    ([0x20, 0x01, 0, 0], 23), ([0x20, 0x01, 0x0d, 0xb8], 32), ([0x20, 0x02], 16), ([0x3f, 0xff, 0], 20),
  ]

  /// Prefixes behind which an IPv4 address is meant: mapped, and the well-known one of NAT64.
  private static let embedding: [[UInt8]] = [
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
  ]

  private static func isPublic(v4 address: [UInt8]) -> Bool {
    !special4.contains { matches(address, $0.network, $0.bits) }
  }

  private static func isPublic(v6 address: [UInt8]) -> Bool {
    guard address.count == 16 else { return false }
    if embedding.contains(where: { address.starts(with: $0) }) { return isPublic(v4: Array(address.suffix(4))) }
    return matches(address, [0x20], 3) && !special6.contains { matches(address, $0.network, $0.bits) }
  }

  private static func matches(_ address: [UInt8], _ network: [UInt8], _ bits: Int) -> Bool {
    (0..<bits).allSatisfy { bit in
      let mask = UInt8(0x80) >> UInt8(bit % 8)
      return address[bit / 8] & mask == network[bit / 8] & mask
    }
  }
}
