/// A moment of the database's clock: microseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: Hashable, Sendable {
  package let microseconds: Int64

  package init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Whole seconds, rounded down.
  package var seconds: Int64 { microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000 }
}

extension Timestamp: Comparable {
  package static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}
