/// What the worker does about one request, decided under the simulator's lock and carried out outside of it.
struct Directive: Sendable {
  let fault: Fault
  let answer: Answer
  let latencyMilliseconds: Int
  /// The notification was recorded.
  var isTaken = false
  /// The answer waits for `POST /release`.
  let isHeld: Bool
  /// The request carried a good provider token.
  let isAuthenticated: Bool
}
