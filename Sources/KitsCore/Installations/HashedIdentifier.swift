/// A device identifier as it left the device: SHA-256 of the value, salted or not (U2, U3, U5).
package struct HashedIdentifier: Hashable, Sendable {
  package let source: Source
  /// 64 lower-case hexadecimal digits.
  package let hash: String

  package init(source: Source, hash: String) {
    self.source = source
    self.hash = hash
  }

  package enum Source: String, Sendable, CaseIterable {
    case idfa, idfv, guid
  }
}
