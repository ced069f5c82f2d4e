package import KitsCore

/// The messages of an app that were started in one hour.
package struct MessageHour: Hashable, Sendable {
  package let app: AppNumber
  /// Its beginning.
  package let start: Timestamp
  /// What became of the deliveries is known for good; only events are still counted.
  package let isSettled: Bool

  package init(app: AppNumber, start: Timestamp, isSettled: Bool) {
    self.app = app
    self.start = start
    self.isSettled = isSettled
  }

  /// The numbers of its messages: as the planner gives them, milliseconds and 22 bits more.
  var low: Int64 { milliseconds << 22 }
  var high: Int64 { (milliseconds + 3_600_000) << 22 }
  private var milliseconds: Int64 { start.microseconds / 1_000 }
}
