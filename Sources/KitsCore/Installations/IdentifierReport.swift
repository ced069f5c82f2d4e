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

extension IdentifierReport {
  /// Hashes of values that stand for none: the all-zero UUID, which the system gives without consent, and the empty
  /// text. Taken for identifiers they would make one device of many.
  package static let hashesOfNothing: Set<String> = [
    "12b9377cbe7e5c94e8a70d9d23929523d14afa954793130f8a3959c7b849aca8",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  ]

  /// As what it means: a hash of nothing is not available (U3).
  package var normalized: IdentifierReport {
    guard let hash, Self.hashesOfNothing.contains(hash) else { return self }
    return IdentifierReport(available: false, limited: limited, hash: nil, message: message)
  }
}
