/// OpenSSL refused something while the process was being set up. There is no recovery: the simulator doesn't start.
enum TLSError: Error, CustomStringConvertible {
  case openSSL(String)

  var description: String {
    switch self {
    case .openSSL(let what): "OpenSSL: \(what) failed"
    }
  }
}
