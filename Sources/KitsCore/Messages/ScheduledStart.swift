/// Which state of a scheduled message is started.
package struct ScheduledStart: Sendable, Equatable {
  /// A message that was changed since isn't started in its old form.
  package let revision: Int64
  /// Of a message by local time: the time on the wall, as if it were UTC's.
  package let localAt: Timestamp?

  package init(revision: Int64, localAt: Timestamp?) {
    self.revision = revision
    self.localAt = localAt
  }
}
