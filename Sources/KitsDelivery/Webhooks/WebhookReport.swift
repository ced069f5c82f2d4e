package import KitsCore

/// What telling endpoints did; turned into log lines and metrics elsewhere.
package enum WebhookReport: Sendable {
  case numbered(count: Int)
  /// How requests of a turn ended.
  case delivered(count: Int)
  case failed(WebhookID, count: Int, problem: String)
  /// Given up after three days.
  case dead(WebhookID, count: Int)
  /// Switched off, because the endpoint answered 410.
  case gone(WebhookID)
  /// A secret that can't be opened: the endpoint gets nothing until an operator acts.
  case secretUnusable(WebhookID, problem: String)
  /// Another process had taken over before the results were written: some events were sent twice.
  case leaseLost(WebhookID)
  /// Something failed that will be tried again.
  case troubled(activity: String, problem: String)
}
