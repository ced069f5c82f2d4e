/// Hands out connection numbers; one series per client.
final class ConnectionNumbers: Sendable {
  private let last = Locked<UInt32>(0)

  func next() -> UInt32 {
    last.withLock { last in
      last &+= 1
      return last
    }
  }
}
