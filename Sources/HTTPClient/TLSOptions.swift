/// What a connection trusts. Verification of the chain and the name is always on; these only add to it.
package struct TLSOptions: Sendable {
  /// Trusted in addition to the system's anchors.
  package var anchors: TrustAnchors?
  /// Public keys that a host must show, whoever signed its certificate.
  package var pins: [HostPins]

  package init(anchors: TrustAnchors? = nil, pins: [HostPins] = []) {
    self.anchors = anchors
    self.pins = pins
  }

  /// libcurl's form of the pins for a host, or nil when nothing is pinned.
  func pinList(for host: String) -> String? {
    let values = pins.filter { $0.matches(host) }.flatMap(\.values)
    return values.isEmpty ? nil : values.map { "sha256//\($0)" }.joined(separator: ";")
  }
}
