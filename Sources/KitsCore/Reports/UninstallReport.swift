/// Devices that came and went per day, from the first day to the last, and divided when that was asked for.
package struct UninstallReport: Sendable, Equatable {
  package enum Grouping: Int16, Sendable, CaseIterable {
    case none = 0
    case platform = 1
    case version = 2
  }

  /// What a group of devices has in common.
  package enum Group: Hashable, Sendable {
    case platform(Platform)
    /// Nil when the devices never told one.
    case version(String?)
    /// Versions beyond those that a report tells apart.
    case rest
  }

  package struct DayCounts: Sendable, Equatable {
    package let day: Day
    package var counts = DeviceCounts()
    /// None when nothing happened or nothing was to be divided.
    package var groups: [(group: Group, counts: DeviceCounts)] = []

    package init(day: Day) {
      self.day = day
    }

    package static func == (left: Self, right: Self) -> Bool {
      left.day == right.day && left.counts == right.counts
        && left.groups.elementsEqual(right.groups) { $0.group == $1.group && $0.counts == $1.counts }
    }
  }

  package let grouping: Grouping
  package let days: [DayCounts]

  package init(grouping: Grouping, days: [DayCounts]) {
    self.grouping = grouping
    self.days = days
  }

  package var total: DeviceCounts { days.reduce(DeviceCounts()) { $0 + $1.counts } }
}
