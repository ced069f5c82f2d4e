/// When a message is sent, how fast, and how often that was changed.
package struct MessageTiming: Sendable, Equatable {
  /// Nil when it started at once.
  package let schedule: MessageSchedule?
  /// How many deliveries may begin in a minute; nil for as many as can.
  package let throttlePerMinute: Int32?
  /// Rises with each change before the start; a change names the one that it was made from.
  package let revision: Int64

  package init(schedule: MessageSchedule?, throttlePerMinute: Int32?, revision: Int64) {
    self.schedule = schedule
    self.throttlePerMinute = throttlePerMinute
    self.revision = revision
  }
}
