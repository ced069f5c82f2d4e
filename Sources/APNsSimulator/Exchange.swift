/// One stream: the request as it grows, then the answer as it leaves. Owned by its connection.
final class Exchange {
  let stream: Int32
  var request = PushRequest()
  /// The id of the notification: the client's, or one made here.
  var messageID = ""
  /// The id under which Apple's console lists a sandbox notification; none in production.
  var uniqueID: String?
  var isComplete = false
  var isAnswered = false
  /// The notification counts as taken, so the stream can't be refused any more.
  var isTaken = false
  /// Counted in the shared state as an answer kept back.
  var held: Directive?

  /// The answer's body and how much of it nghttp2 has taken.
  var body: [UInt8] = []
  var sent = 0
  var frameBytes = Int.max

  init(stream: Int32) {
    self.stream = stream
  }
}
