/// What every listening address counts. Routes are patterns and statuses three digits, so the label sets stay small.
struct HTTPMetrics: Sendable {
  let requests: CounterFamily
  let seconds: HistogramFamily
  let deadlines: CounterFamily

  init(_ registry: MetricsRegistry) {
    requests = registry.counter(
      "kits_http_requests_total", help: "Requests answered.", labels: ["listener", "method", "route", "status"])
    seconds = registry.histogram(
      "kits_http_request_seconds", help: "From the complete head to the last byte of the answer.",
      labels: ["listener", "route"])
    deadlines = registry.counter(
      "kits_http_deadlines_total", help: "Connections closed by a deadline.", labels: ["listener", "deadline"])
  }
}
