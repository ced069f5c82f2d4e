/// Nothing of an app is handed to one APNs environment; what waits stays pending.
package struct AppPause: Sendable, Equatable {
  package let environment: APNsEnvironment
  package let reason: PauseReason
  /// The operator's words, or the push service's.
  package let detail: String?
  package let since: Timestamp

  package init(environment: APNsEnvironment, reason: PauseReason, detail: String?, since: Timestamp) {
    self.environment = environment
    self.reason = reason
    self.detail = detail
    self.since = since
  }
}
