/// What callers of the API did and what they were refused.
struct APIMetrics: Sendable {
  let refusals: CounterFamily
  let faults: CounterFamily
  let registrations: CounterFamily
  let updates: CounterFamily
  let deletions: CounterFamily
  let messagesCreated: CounterFamily
  let messagesCanceled: CounterFamily
  let segmentsChanged: CounterFamily
  let audiencesPreviewed: CounterFamily

  init(_ registry: MetricsRegistry) {
    refusals = registry.counter(
      "kits_api_refusals_total", help: "Requests answered with a problem, by its code.", labels: ["code"])
    faults = registry.counter(
      "kits_api_faults_total", help: "Requests that failed through no fault of the caller.", labels: ["code"])
    registrations = registry.counter(
      "kits_installations_registered_total", help: "Registrations answered.", labels: ["replayed"])
    updates = registry.counter("kits_installations_updated_total", help: "Updates answered.", labels: ["applied"])
    deletions = registry.counter("kits_installations_deleted_total", help: "Deletions answered.")
    messagesCreated = registry.counter("kits_messages_created_total", help: "Messages created.", labels: ["replayed"])
    messagesCanceled = registry.counter("kits_messages_canceled_total", help: "Cancellations answered.")
    segmentsChanged = registry.counter(
      "kits_segments_changed_total", help: "Segments created, changed and deleted.")
    audiencesPreviewed = registry.counter(
      "kits_audiences_previewed_total", help: "Previews, by whether everyone was counted.", labels: ["exact"])
  }
}
