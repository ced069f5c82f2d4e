package import KitsCore

/// What is known of all sessions of an installation.
package struct SessionTotals: Sendable, Equatable {
  package let count: Int64
  package let foregroundSeconds: Int64
  package let firstAt: Timestamp?
  package let lastAt: Timestamp?

  package init(count: Int64, foregroundSeconds: Int64, firstAt: Timestamp?, lastAt: Timestamp?) {
    self.count = count
    self.foregroundSeconds = foregroundSeconds
    self.firstAt = firstAt
    self.lastAt = lastAt
  }
}
