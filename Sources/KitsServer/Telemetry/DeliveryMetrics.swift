/// What the delivery half does. Counters of this process; what is open over all nodes is in `BacklogMetrics`.
struct DeliveryMetrics: Sendable {
  let deliveries: CounterFamily
  let windowSeconds: HistogramFamily
  let windowSizes: HistogramFamily
  let planned: CounterFamily
  let completed: CounterFamily
  let refused: CounterFamily
  let retriesScheduled: CounterFamily
  let tokensMarked: CounterFamily
  let leasesLost: CounterFamily
  let chunksSwept: CounterFamily
  let daysDropped: CounterFamily
  let daysKept: CounterFamily
  let rowsForgotten: CounterFamily
  let tokensMinted: CounterFamily
  let keysUnusable: CounterFamily
  let credentialRefusals: CounterFamily
  let pauses: CounterFamily
  let suspectsRemembered: CounterFamily
  let troubles: CounterFamily

  init(_ registry: MetricsRegistry) {
    deliveries = registry.counter(
      "kits_deliveries_total", help: "Deliveries that got their final outcome, by class.", labels: ["class"])
    windowSeconds = registry.histogram(
      "kits_delivery_window_seconds", help: "From handing a window to the network to its last answer.")
    windowSizes = registry.histogram(
      "kits_delivery_window_pushes", help: "Pushes handed to the network in one window.", bounds: Histogram.sizes)
    planned = registry.counter("kits_recipients_planned_total", help: "Recipients of messages planned to the end.")
    completed = registry.counter("kits_messages_completed_total", help: "Messages completed by this process.")
    refused = registry.counter(
      "kits_messages_refused_total", help: "Messages refused while they were planned, with nothing sent.",
      labels: ["code"])
    retriesScheduled = registry.counter(
      "kits_retries_scheduled_total", help: "Deliveries put off to another attempt.")
    tokensMarked = registry.counter(
      "kits_tokens_marked_total", help: "Push tokens taken out of use by APNs' answers.", labels: ["state"])
    leasesLost = registry.counter(
      "kits_leases_lost_total", help: "Chunks that another process had taken over before their results were written.")
    chunksSwept = registry.counter(
      "kits_chunks_swept_total", help: "Chunks of canceled and expired messages that were closed.")
    daysDropped = registry.counter("kits_retention_days_dropped_total", help: "Days of deliveries that were dropped.")
    daysKept = registry.counter(
      "kits_retention_days_kept_total", help: "Times that an old day could not be dropped, because of what is open.")
    rowsForgotten = registry.counter(
      "kits_retention_rows_total", help: "Rows removed for their age.", labels: ["table"])
    tokensMinted = registry.counter("kits_provider_tokens_minted_total", help: "Provider tokens made.")
    keysUnusable = registry.counter(
      "kits_keys_unusable_total", help: "Windows not sent because the app's APNs key can't be used.")
    credentialRefusals = registry.counter(
      "kits_credential_refusals_total", help: "Pushes that APNs refused for our credentials.", labels: ["reason"])
    pauses = registry.counter(
      "kits_apps_paused_total", help: "Pauses by the circuit breaker of this process.", labels: ["reason"])
    suspectsRemembered = registry.counter(
      "kits_suspects_remembered_total", help: "Refused tokens that resuming their app makes active again.")
    troubles = registry.counter(
      "kits_delivery_troubles_total", help: "Passing failures of the delivery's loops.", labels: ["activity"])
  }
}
