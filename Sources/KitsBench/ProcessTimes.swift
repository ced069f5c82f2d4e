import Foundation

/// The line of `/proc/PID/stat`, as far as it is about time.
struct ProcessTimes {
  let parent: pid_t
  /// User and system time in seconds.
  let own: Double
  /// The same of children that have ended.
  let children: Double

  private static let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))

  init?(_ processID: pid_t) {
    // The name, in parentheses, may contain spaces; the fields count from after it.
    let text = TextFile.read("/proc/\(processID)/stat")
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 14, let parent = pid_t(fields[1]) else { return nil }
    let times = fields[11...14].map { (Double($0) ?? 0) / Self.ticks }
    self.parent = parent
    own = times[0] + times[1]
    children = times[2] + times[3]
  }

  /// A process with all its children, those that have ended included: a database with its connections.
  static func family(of processID: pid_t) -> (seconds: Double, members: Int) {
    guard let root = ProcessTimes(processID) else { return (0, 0) }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.reduce(into: (root.own + root.children, 1)) { sum, candidate in
      guard let times = ProcessTimes(candidate), times.parent == processID else { return }
      sum.0 += times.own
      sum.1 += 1
    }
  }
}
