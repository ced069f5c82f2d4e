/// Which entries of the audit log are wanted, newest first.
package struct AuditSelection: Sendable {
  package var environment: EnvironmentID?
  package var action: AuditAction?
  package var since: Timestamp?
  /// Only older entries than this one.
  package var before: Int64?
  package var limit: Int32

  package init(limit: Int32) {
    self.limit = limit
  }
}
