import Foundation

/// Two connected ends. A socket pair rather than a pipe, because it can be closed-on-exec from the start: a child must
/// not inherit the end of another.
enum Channel {
  static func open() throws(BenchError) -> (near: Int32, far: Int32) {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw BenchError("no socket pair") }
    return (ends[0], ends[1])
  }
}
