import Foundation

/// What the figures were taken on.
struct Machine {
  let text: String

  init(_ database: Database) throws(BenchError) {
    let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let model = Self.field("/proc/cpuinfo", "model name")
    let memory = Double(Self.field("/proc/meminfo", "MemTotal").split(separator: " ").first ?? "").map {
      $0 / 1_048_576
    }
    let kernel = TextFile.read("/proc/sys/kernel/osrelease").trimmingCharacters(in: .newlines)
    let server = try database.value("SHOW server_version")
    let load = TextFile.read("/proc/loadavg").split(separator: " ").first.flatMap { Double($0) } ?? 0
    var lines = [
      "\(cores) × \(model), \(Text.number(memory ?? 0)) GiB, Linux \(kernel), "
        + "PostgreSQL \(server), \(BareLoop.library)",
      "Clients, server, database and simulators share these cores. Load before the start: \(load)",
    ]
    if load > Double(cores) / 2 {
      lines.append("OTHER WORK IS RUNNING on this machine: only the ratios mean something, and those little.")
    }
    text = lines.joined(separator: "\n")
  }

  private static func field(_ file: String, _ name: String) -> String {
    for line in TextFile.read(file).split(separator: "\n") where line.hasPrefix(name) {
      return line.split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces) ?? ""
    }
    return "unknown"
  }
}
