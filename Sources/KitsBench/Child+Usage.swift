import Foundation

/// What the kernel says about a running program.
extension Child {
  /// User and system time so far.
  var cpuSeconds: Double { ProcessTimes(processID)?.own ?? 0 }

  /// Resident memory in MiB.
  var residentMiB: Double {
    for line in TextFile.read("/proc/\(processID)/status").split(separator: "\n") where line.hasPrefix("VmRSS:") {
      return Double(line.split(separator: " ").dropFirst().first ?? "").map { $0 / 1_024 } ?? 0
    }
    return 0
  }

  /// User and system time of this very process, in seconds.
  static var ownCPUSeconds: Double { seconds(RUSAGE_SELF) }

  /// The same of all children that have ended.
  static var endedCPUSeconds: Double { seconds(RUSAGE_CHILDREN) }

  private static func seconds(_ whose: __rusage_who) -> Double {
    var usage = rusage()
    getrusage(whose.rawValue, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
