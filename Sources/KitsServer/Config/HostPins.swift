internal import Crypto

/// SPKI SHA-256 pins for the hosts that a mask covers (T11).
struct HostPins: Sendable, Equatable {
  /// Lower case; `*.` in front covers exactly one label.
  let mask: String
  /// Digests of the primary and of at least one backup: with a single pin a renewed key locks the sender out.
  let digests: [[UInt8]]

  func covers(_ host: String) -> Bool {
    guard mask.hasPrefix("*.") else { return mask == host }
    guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
    return host[dot...] == mask.dropFirst()
  }

  static func parseList(_ text: String) throws(Malformed) -> [HostPins] {
    var hosts: [HostPins] = []
    for entry in text.split(separator: ";", omittingEmptySubsequences: false) {
      let pins = try parseEntry(entry)
      if hosts.contains(where: { $0.mask == pins.mask }) { throw Malformed("names host \(pins.mask) twice") }
      hosts.append(pins)
    }
    guard ConfigLimits.pinnedHosts.contains(hosts.count) else {
      throw Malformed("has \(hosts.count) hosts; allowed are \(ConfigLimits.pinnedHosts.words)")
    }
    return hosts
  }

  private static func parseEntry(_ entry: Substring) throws(Malformed) -> HostPins {
    guard let equals = entry.firstIndex(of: "=") else { throw Malformed("has an entry without HOST=") }
    let mask = entry[..<equals].lowercased()
    if mask.isEmpty { throw Malformed("has an empty host") }
    do { try WebURL.checkName(mask.hasPrefix("*.") ? String(mask.dropFirst(2)) : mask) } catch {
      throw Malformed("has a host mask that is no valid name")
    }
    var digests: [[UInt8]] = []
    for pin in entry[entry.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false) {
      guard pin.hasPrefix("sha256/") else { throw Malformed("has a pin for \(mask) without sha256/ in front") }
      guard let digest = Base64.decode(String(pin.dropFirst(7))), digest.count == ConfigLimits.pinBytes else {
        throw Malformed("has a pin for \(mask) that is not base64 of \(ConfigLimits.pinBytes) bytes")
      }
      if digests.contains(digest) { throw Malformed("has the same pin twice for \(mask)") }
      digests.append(digest)
    }
    guard digests.count >= 2 else { throw Malformed("needs a backup pin for \(mask)") }
    return HostPins(mask: mask, digests: digests)
  }
}
