import Foundation

/// What the kernel says about a running program.
extension Child {
  /// User and system time so far.
  var cpuSeconds: Double {
    // The name, in parentheses, may contain spaces; the 14th and 15th field count from before it.
    let text = TextFile.read("/proc/\(processID)/stat")
    guard let end = text.lastIndex(of: ")") else { return 0 }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Resident memory in MiB.
  var residentMiB: Double {
    for line in TextFile.read("/proc/\(processID)/status").split(separator: "\n") where line.hasPrefix("VmRSS:") {
      return Double(line.split(separator: " ").dropFirst().first ?? "").map { $0 / 1_024 } ?? 0
    }
    return 0
  }

  /// User and system time of this very process, in seconds.
  static var ownCPUSeconds: Double {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
