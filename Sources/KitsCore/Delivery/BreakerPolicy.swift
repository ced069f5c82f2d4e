/// When the circuit breaker opens. Shares are of the answers that say anything about the credential: accepted ones,
/// refusals of the credential, refusals of proven tokens.
package struct BreakerPolicy: Sendable, Equatable {
  /// APNs has been seen to refuse a good key once in a while.
  package var credentialRefusals = 3
  package var credentialShare = 0.5
  /// Until this many proven tokens were refused, each is taken for a dead one.
  package var provenRefusals = 10
  package var provenShare = 0.5
  /// Beyond this many answers older ones fade: their counts are halved.
  package var memory = 200
  /// After so long without an answer the earlier ones say nothing any more.
  package var forgetAfterSeconds: Int64 = 600
  /// Refused tokens that are remembered before the circuit opens; they are lifted when the app is resumed.
  package var suspectsRemembered = 1_000
  /// APNs takes a token for an hour: one that is called expired before this age was made by a wrong clock.
  package var clockFaultSeconds: Int64 = 20 * 60

  package init() {}
}
