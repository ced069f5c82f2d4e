/// What a script makes of a request instead of the ordinary answer.
enum Fault: Sendable, Equatable {
  /// The ordinary answer, late at most.
  case none
  case answer(Answer)
  /// RST_STREAM frames with these codes, one after the other.
  case reset([UInt32])
  /// No answer, ever; the connection stays open.
  case stall
  /// The connection's socket is closed, with a TCP reset when `hard`.
  case kill(hard: Bool)
  case goaway(GoAway)
  /// From this request on the connection answers nothing and reads nothing: a half-open peer.
  case silence
}
