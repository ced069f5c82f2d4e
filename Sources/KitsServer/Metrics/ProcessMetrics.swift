import Glibc

/// What every Prometheus client reports about its own process, read from /proc at each scrape.
enum ProcessMetrics {
  static func register(in registry: MetricsRegistry) {
    let start = startTime()
    registry.observedGauge("process_start_time_seconds", help: "Start of the process, seconds since 1970.") { start }
    registry.observedGauge("process_resident_memory_bytes", help: "Resident memory.") { residentBytes() }
    registry.observedGauge("process_open_fds", help: "Open file descriptors.") { openDescriptors() }
    registry.observedGauge("process_max_fds", help: "Limit of open file descriptors.") { maximumDescriptors() }
    registry.observedCounter("process_cpu_seconds_total", help: "User and system CPU time.") { cpuSeconds() }
    registry.gauge("kits_build_info", help: "Version of this build; always 1.", labels: ["version"])
      .with(Version.text).set(1)
  }

  static func residentBytes() -> Double? {
    guard let text = readFile("/proc/self/statm") else { return nil }
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Double(fields[1]) else { return nil }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
  }

  static func openDescriptors() -> Double? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Not `.`, `..` and the descriptor of this very walk.
    return Double(count - 3)
  }

  static func maximumDescriptors() -> Double? {
    var limit = rlimit()
    guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Double(limit.rlim_cur)
  }

  static func cpuSeconds() -> Double? {
    var usage = rusage()
    guard getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return nil }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// Boot time plus the start tick of the process, so that it doesn't depend on when this is called.
  static func startTime() -> Double? {
    guard let status = readFile("/proc/self/stat"), let system = readFile("/proc/stat") else { return nil }
    // The name in parentheses may hold spaces; start time is the 20th field after it.
    guard let close = status.lastIndex(of: ")") else { return nil }
    let fields = status[close...].split(separator: " ")
    let boot = system.split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
    guard fields.count > 20, let ticks = Double(fields[20]), let boot, let bootSeconds = Double(boot) else {
      return nil
    }
    return bootSeconds + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  /// Files in /proc have no size beforehand; these are far below the bound.
  private static func readFile(_ path: String) -> String? {
    SmallFile.read(path, limit: 1 << 20).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
