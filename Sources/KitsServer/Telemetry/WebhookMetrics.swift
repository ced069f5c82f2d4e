/// What telling webhooks does. Counters of this process; what waits over all nodes is in `BacklogMetrics`.
struct WebhookMetrics: Sendable {
  let events: CounterFamily
  let deliveries: CounterFamily
  let switchedOff: CounterFamily
  let troubles: CounterFamily

  init(_ registry: MetricsRegistry) {
    events = registry.counter("kits_events_total", help: "Events that got their place in the feed.")
    deliveries = registry.counter(
      "kits_webhook_deliveries_total",
      help: "Requests to webhooks by result: delivered, failed (dead ones too), dead (given up).", labels: ["result"])
    switchedOff = registry.counter(
      "kits_webhooks_gone_total", help: "Webhooks switched off because they answered 410.")
    troubles = registry.counter(
      "kits_webhook_troubles_total", help: "Passing failures of the webhooks' loops.", labels: ["activity"])
  }
}
