internal import KitsCore
internal import KitsDelivery

extension Telemetry {
  func webhookObserver(_ metrics: WebhookMetrics) -> @Sendable (WebhookReport) -> Void {
    { [self] report in record(report, metrics) }
  }

  /// Never an address: it may hold a secret of the customer's.
  private func record(_ report: WebhookReport, _ metrics: WebhookMetrics) {
    switch report {
    case .numbered(let count): metrics.events.with().increment(by: count)
    case .delivered(let count): metrics.deliveries.with("delivered").increment(by: count)
    case .failed(let id, let count, let problem):
      metrics.deliveries.with("failed").increment(by: count)
      logSparsely(
        .info, "webhook_failed", part: id.text, [webhook(id), ("count", .integer(count)), ("reason", .string(problem))])
    case .dead(let id, let count):
      metrics.deliveries.with("dead").increment(by: count)
      logSparsely(.warning, "webhook_gave_up", part: id.text, [webhook(id), ("count", .integer(count))])
    case .gone(let id):
      metrics.switchedOff.with().increment()
      log(.warning, "webhook_gone", [webhook(id)])
    case .secretUnusable(let id, let problem):
      metrics.troubles.with("secret").increment()
      logSparsely(
        .error, "webhook_secret_unusable", part: id.text, [webhook(id), ("problem", .string(problem))])
    case .leaseLost(let id):
      metrics.troubles.with("lease").increment()
      logSparsely(.warning, "webhook_lease_lost", part: id.text, [webhook(id)])
    case .troubled(let activity, let problem):
      metrics.troubles.with(activity).increment()
      logSparsely(
        .warning, "webhooks_troubled", part: activity, [("activity", .string(activity)), ("problem", .string(problem))])
    }
  }

  private func webhook(_ id: WebhookID) -> (String, LogValue) { ("webhook_id", .string(id.text)) }
}
