/// Where a device identifier comes from (U3).
package enum IdentifierSource: String, Sendable, CaseIterable {
  case idfa, idfv, guid
}

/// One identifier source as the device reported it; only its hash ever leaves the device (U2, U3, U5).
package struct IdentifierReport: Hashable, Sendable {
  package let available: Bool
  /// The system limits it: no tracking consent.
  package let limited: Bool
  /// SHA-256, 64 lower-case hexadecimal digits; nil exactly when not available.
  package let hash: String?
  package let message: String?

  package init(available: Bool, limited: Bool, hash: String?, message: String?) {
    self.available = available
    self.limited = limited
    self.hash = hash
    self.message = message
  }
}
