import Glibc
internal import KitsCore

/// The machine that this runs on.
enum HostChecks {
  /// 10,000 connections of devices, and some for the database, APNs and files.
  static let filesNeeded: UInt64 = 10_500
  /// Provider tokens are refused when they are off by an hour; everything else by less is confusing only.
  static let clockTolerance = 5_000

  static func hardLimit() -> UInt64 {
    var limit = rlimit()
    guard getrlimit(OpenFiles.resource, &limit) == 0 else { return 0 }
    return UInt64(limit.rlim_max)
  }

  static func openFiles(_ hard: UInt64) -> Finding {
    let check = "host.open_files"
    if hard >= filesNeeded {
      return .fine(check, "this shell may open \(hard == UInt64.max ? "any number of" : "\(hard)") files")
    }
    return .warning(
      check, "at most \(hard) files may be open in this shell",
      why: "A node that serves 10,000 connections needs \(filesNeeded), and refuses connections without them.",
      todo: "Set LimitNOFILE=65536 in the systemd unit (deploy/kits.service has it), or raise `ulimit -Hn`.")
  }

  /// - Parameter here: this host's clock before and after the database was asked, in milliseconds.
  static func clock(here: ClosedRange<Int>, database: KitsCore.Timestamp) -> Finding {
    let check = "host.clock"
    let there = Int(database.microseconds / 1_000)
    let off = max(here.lowerBound - there, there - here.upperBound, 0)
    if off <= clockTolerance { return .fine(check, "the clocks of this host and of the database agree") }
    return .warning(
      check, "the clocks of this host and of the database differ by \(off / 1_000) s",
      why: "Credentials and logs carry this host's time, everything that decides between nodes the database's.",
      todo: "Let both hosts set their clocks by NTP (`timedatectl set-ntp true`).")
  }

  /// APNs' answer against the database, whose clock dates the provider tokens.
  static func pushServiceClock(_ seconds: Int64, database: KitsCore.Timestamp) -> Finding {
    let check = "apns.clock"
    let off = abs(seconds - database.seconds)
    if off <= 60 { return .fine(check, "the clocks of the database and of APNs agree") }
    return .problem(
      check, "the clocks of the database and of APNs differ by \(off) s",
      why: "APNs refuses provider tokens that are dated an hour off.",
      todo: "Let the database's host set its clock by NTP (`timedatectl set-ntp true`).")
  }
}
