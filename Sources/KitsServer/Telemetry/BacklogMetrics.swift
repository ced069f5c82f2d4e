internal import KitsStore

/// How the work stands over all nodes, as this process read it last. Every process says the same: take the maximum.
struct BacklogMetrics: Sendable {
  let messages: Gauge
  let oldestSeconds: Gauge
  let lateSeconds: Gauge
  let deliveries: Gauge
  let retries: Gauge
  let pauses: Gauge
  let scheduled: Gauge
  let overdueSeconds: Gauge
  let ledgerMismatch: Gauge
  let webhookLag: Gauge
  let webhookDeliveries: GaugeFamily

  init(_ registry: MetricsRegistry) {
    messages = registry.gauge("kits_messages_open", help: "Messages of which something is pending.").with()
    oldestSeconds = registry.gauge("kits_oldest_open_message_seconds", help: "Age of the oldest of them.").with()
    lateSeconds = registry.gauge(
      "kits_backlog_age_seconds", help: "How long the chunk that waits longest could have been sent by now."
    ).with()
    deliveries = registry.gauge("kits_deliveries_pending", help: "Planned deliveries without an outcome.").with()
    retries = registry.gauge("kits_retries_pending", help: "Deliveries that wait for another attempt.").with()
    pauses = registry.gauge("kits_pauses", help: "Apps that are paused, by APNs environment counted.").with()
    scheduled = registry.gauge("kits_messages_scheduled", help: "Messages that wait for their time.").with()
    overdueSeconds = registry.gauge(
      "kits_scheduled_overdue_seconds", help: "How late the latest of them is that should have started."
    ).with()
    ledgerMismatch = registry.gauge(
      "kits_ledger_mismatch", help: "Messages of the last hour whose ledger or events don't add up; must be 0."
    ).with()
    webhookLag = registry.gauge(
      "kits_webhook_lag_seconds", help: "Age of the oldest event that a webhook should have and has not."
    ).with()
    webhookDeliveries = registry.gauge(
      "kits_webhook_deliveries_open", help: "Events that webhooks didn't take: to be tried again, or given up.",
      labels: ["state"])
  }

  func set(_ webhooks: WebhookBacklog) {
    webhookLag.set(Double(webhooks.lagMilliseconds) / 1000)
    webhookDeliveries.with("pending").set(Double(webhooks.pending))
    webhookDeliveries.with("dead").set(Double(webhooks.dead))
  }

  func set(_ backlog: Backlog) {
    messages.set(Double(backlog.messages))
    oldestSeconds.set(Double(backlog.oldestMilliseconds) / 1000)
    lateSeconds.set(Double(backlog.lateMilliseconds) / 1000)
    deliveries.set(Double(backlog.deliveries))
    retries.set(Double(backlog.retries))
    pauses.set(Double(backlog.pauses))
    scheduled.set(Double(backlog.scheduled))
    overdueSeconds.set(Double(backlog.overdueMilliseconds) / 1000)
  }
}
