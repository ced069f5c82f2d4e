/// Counts that a worker keeps by itself and adds to the shared ones once per turn of its loop.
struct Tally: Sendable {
  /// Complete requests, whatever became of them.
  var received = 0
  /// Requests taken in `--fast`; otherwise the ledger counts.
  var acceptedFast = 0
  var streamsOpened = 0
  /// Streams that the client reset, or closed its connection on, before they had an answer.
  var canceledByClient = 0
  /// RST_STREAM frames from clients.
  var resetsReceived = 0
  /// Answers put on the wire.
  var answered = 0
  var connectionsOpened = 0
  var connectionsClosed = 0
  var goawaysSent = 0
  var protocolErrors = 0
  /// Largest number of open streams seen on one connection.
  var maxStreamsOnConnection = 0

  static func += (sum: inout Tally, more: Tally) {
    sum.received += more.received
    sum.acceptedFast += more.acceptedFast
    sum.streamsOpened += more.streamsOpened
    sum.canceledByClient += more.canceledByClient
    sum.resetsReceived += more.resetsReceived
    sum.answered += more.answered
    sum.connectionsOpened += more.connectionsOpened
    sum.connectionsClosed += more.connectionsClosed
    sum.goawaysSent += more.goawaysSent
    sum.protocolErrors += more.protocolErrors
    sum.maxStreamsOnConnection = max(sum.maxStreamsOnConnection, more.maxStreamsOnConnection)
  }
}
