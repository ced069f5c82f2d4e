/// Request ids: the client's when it is harmless to log and echo, else a new one.
final class RequestIDs: Sendable {
  static let maximumLength = 64
  private let prefix = String(UInt64.random(in: .min ... .max), radix: 16)
  private let count = Guarded<UInt64>(0)

  /// Unique per process start (random prefix, then a count): one id costs no system call.
  func next() -> String {
    let number = count.withLock { value in
      value += 1
      return value
    }
    return "\(prefix)-\(String(number, radix: 16))"
  }

  static func isValid(_ text: String) -> Bool {
    (1...maximumLength).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) || $0 == 0x2e || $0 == 0x5f || $0 == 0x2d }
  }
}
