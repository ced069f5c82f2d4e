import Glibc

/// The limit of open files. Systems set the soft one low for programs that use select(), which nothing here does; each
/// connection of a device is a file.
enum OpenFiles {
  static let resource = Int32(RLIMIT_NOFILE.rawValue)

  /// Raises the soft limit to the hard one and answers the limit that holds now; nil when the system refuses to say.
  @discardableResult
  static func raiseLimit() -> UInt64? {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return nil }
    let before = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    // What is refused stays as it was: fewer connections, nothing else.
    return UInt64(setrlimit(resource, &limit) == 0 ? limit.rlim_max : before)
  }
}
