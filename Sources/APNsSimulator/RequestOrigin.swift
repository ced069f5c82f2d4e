/// Where a complete request stands on its connection.
struct RequestOrigin: Sendable {
  let connection: Int
  let stream: Int32
  /// The newest stream the client has opened on the connection.
  let newestStream: Int32
  /// The newest stream whose notification was taken: no GOAWAY may call that one refused.
  let newestTaken: Int32
  /// Counted from 1 per connection.
  let number: Int

  /// Client streams are odd, so the `refuse` newest ones span twice as many ids.
  func lastStream(refusing refuse: Int) -> Int32 {
    max(newestTaken, newestStream - Int32(clamping: 2 * refuse))
  }
}
