/// A version in the order of Semantic Versioning 2.0.0 (section 11), wider than the standard in what it reads: any
/// number of numeric components, missing ones are 0 (`1.2` is `1.2.0`, `2024.1.0.3` comes after `2024.1.0`), and
/// leading zeros don't count. What starts otherwise (`v1.2`, `1.2 beta`) is no version and has no place in the order.
package struct Semver: Sendable {
  /// As it was written.
  package let text: String
  /// Sorts by its bytes as versions do. The SQL function `version_key` makes the same text; it says how.
  package let sortKey: String

  package init?(parsing text: String) {
    guard let key = SemverKey(Array(text.utf8))?.text else { return nil }
    self.text = text
    sortKey = key
  }
}

extension Semver: Comparable {
  /// Build metadata doesn't count.
  package static func == (left: Self, right: Self) -> Bool { left.sortKey == right.sortKey }

  package static func < (left: Self, right: Self) -> Bool {
    left.sortKey.utf8.lexicographicallyPrecedes(right.sortKey.utf8)
  }
}
