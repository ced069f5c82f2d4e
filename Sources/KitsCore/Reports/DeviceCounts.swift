/// Devices that came and went (T9).
package struct DeviceCounts: Hashable, Sendable {
  package var installs: Int64 = 0
  /// Those that are not taken back.
  package var uninstalls: Int64 = 0
  /// Uninstalls of the same days that no longer count: the device registered again in time.
  package var takenBack: Int64 = 0

  package init(installs: Int64 = 0, uninstalls: Int64 = 0, takenBack: Int64 = 0) {
    self.installs = installs
    self.uninstalls = uninstalls
    self.takenBack = takenBack
  }

  package var net: Int64 { installs - uninstalls }

  package static func + (left: Self, right: Self) -> Self {
    DeviceCounts(
      installs: left.installs + right.installs, uninstalls: left.uninstalls + right.uninstalls,
      takenBack: left.takenBack + right.takenBack)
  }
}
