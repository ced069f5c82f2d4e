/// How connections behave apart from single requests. Read when a connection opens, except for the reading pause and
/// the collapse, which apply at once.
struct ConnectionScript: Sendable, Equatable {
  /// Of connections whose host names none. Not scripted here: it follows the validation rules.
  var environment: PushEnvironment?
  /// MAX_CONCURRENT_STREAMS until the first answer to a good provider token.
  var initialStreams: UInt32 = 1
  /// … and after it.
  var streams: UInt32 = 1_000
  /// A rejected notification lowers the limit to 1, and the next accepted one raises it again.
  var collapseAfterError = false
  /// An expired provider token lowers the limit to 1 and ends the streams in transit with RST 7, then RST 5;
  /// the connection accepts nothing afterwards.
  var wedgeOnExpiredToken = false
  /// After TooManyProviderTokenUpdates the connection answers nothing else.
  var spoilOnTokenUpdate = false
  /// Sent in place of the first SETTINGS.
  var goawayBeforeSettings: GoAway?
  /// How far the clock in the `date` of answers is ahead of this machine's.
  var clockOffsetSeconds: Int64 = 0
  /// Pause between two reads from a connection.
  var readPauseMilliseconds = 0
  /// Answers client RST_STREAM frames beyond this rate per second with GOAWAY, as servers with protection against
  /// rapid resets do. `nil`: never, because libcurl 7.88 resets every stream it has finished with.
  var resetsPerSecond: UInt64?
}
