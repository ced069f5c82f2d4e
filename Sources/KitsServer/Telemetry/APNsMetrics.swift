/// Connections to APNs.
struct APNsMetrics: Sendable {
  let connections: GaugeFamily
  let connects: CounterFamily
  let connectFailures: CounterFamily
  let connectSeconds: HistogramFamily
  let drains: CounterFamily
  let answers: CounterFamily

  init(_ registry: MetricsRegistry) {
    connections = registry.gauge("kits_apns_connections", help: "Connections being opened or open.")
    connects = registry.counter("kits_apns_connects_total", help: "Connections begun.")
    connectFailures = registry.counter("kits_apns_connect_failures_total", help: "Connections that failed to open.")
    connectSeconds = registry.histogram(
      "kits_apns_connect_seconds", help: "From the beginning of a connection to its first answer.")
    drains = registry.counter(
      "kits_apns_drains_total", help: "Connections that took no new work any more, by cause.", labels: ["cause"])
    answers = registry.counter("kits_apns_answers_total", help: "Answers on connections that are closed by now.")
  }
}
