package import APNs
package import KitsCore

/// What the delivery half did; turned into log lines and metrics elsewhere.
package enum DeliveryEvent: Sendable {
  case planned(message: MessageNumber, recipients: Int64, chunks: Int32)
  /// A guard stopped a message, or a segment that it names is gone: nothing of it was sent.
  case refused(message: MessageNumber, reason: MessageRefusal.Reason)
  case windowSent(count: Int, seconds: Double)
  /// How attempts ended; `pending` counts what waits for another one.
  case outcomes(class: OutcomeClass, count: Int)
  case completed(message: MessageNumber)
  case tokensMarked(state: TokenState, count: Int)
  case leaseLost(message: MessageNumber, chunk: Int32)
  case chunksSwept(count: Int)
  /// A day of chunks that was too old is gone; its counts stay.
  case dayDropped(day: Int32)
  /// A day of chunks that is too old stays, because something in it isn't over.
  case dayKept(day: Int32, reason: String)
  /// Rows that were too old are gone.
  case rowsForgotten(table: String, count: Int)
  case providerTokenMinted(teamID: String, keyID: String)
  /// A key that can't be opened or used: its app sends nothing until an operator acts.
  case keyUnusable(app: AppNumber, teamID: String, keyID: String, problem: String)
  /// APNs refused our credentials.
  case credentialRefused(app: AppNumber, reason: APNsReason, count: Int)
  /// The circuit breaker paused an app in one APNs environment: an operator has to look.
  case paused(app: AppNumber, environment: APNsEnvironment, reason: PauseReason, detail: String?)
  /// Proven tokens were refused and are remembered for the resume.
  case suspectsRemembered(app: AppNumber, environment: APNsEnvironment, count: Int)
  /// Something failed that will be tried again.
  case troubled(activity: String, problem: String)
}
