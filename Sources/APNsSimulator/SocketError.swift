import Foundation

/// A system call on a socket failed while the process was being set up.
struct SocketError: Error, CustomStringConvertible {
  let what: String
  let code: Int32

  var description: String { "\(what): \(String(cString: strerror(code)))" }
}
