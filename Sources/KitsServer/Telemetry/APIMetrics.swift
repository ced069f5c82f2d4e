/// What callers of the API did and what they were refused.
struct APIMetrics: Sendable {
  let refusals: CounterFamily
  let faults: CounterFamily
  let signatureRefusals: CounterFamily
  let registrations: CounterFamily
  let updates: CounterFamily
  let deletions: CounterFamily
  let messagesCreated: CounterFamily
  let messagesCanceled: CounterFamily
  let audiencesPreviewed: CounterFamily
  let notificationEvents: CounterFamily
  let activityRecords: CounterFamily
  let identityOperations: CounterFamily
  let identityRejections: CounterFamily
  let administrations: CounterFamily

  init(_ registry: MetricsRegistry) {
    refusals = registry.counter(
      "kits_api_refusals_total", help: "Requests answered with a problem, by its code.", labels: ["code"])
    faults = registry.counter(
      "kits_api_faults_total", help: "Requests that failed through no fault of the caller.", labels: ["code"])
    signatureRefusals = registry.counter(
      "kits_signature_refusals_total", help: "Requests whose signature was refused, by what was wrong.",
      labels: ["cause"])
    registrations = registry.counter(
      "kits_installations_registered_total", help: "Registrations answered.", labels: ["replayed"])
    updates = registry.counter("kits_installations_updated_total", help: "Updates answered.", labels: ["applied"])
    deletions = registry.counter("kits_installations_deleted_total", help: "Deletions answered.")
    messagesCreated = registry.counter("kits_messages_created_total", help: "Messages created.", labels: ["replayed"])
    administrations = registry.counter(
      "kits_administrative_calls_total", help: "Changes asked for with server keys; `none` when they were made.",
      labels: ["action", "refusal"])
    messagesCanceled = registry.counter("kits_messages_canceled_total", help: "Cancellations answered.")
    audiencesPreviewed = registry.counter(
      "kits_audiences_previewed_total", help: "Previews, by whether everyone was counted.", labels: ["exact"])
    notificationEvents = registry.counter(
      "kits_notification_events_total",
      help: "Events of notifications answered, by who told them and what became of them.",
      labels: ["type", "source", "result"])
    activityRecords = registry.counter(
      "kits_activity_records_total", help: "Records of activity answered, by what became of them.",
      labels: ["type", "result"])
    identityOperations = registry.counter(
      "kits_identity_operations_total", help: "Logins and logouts answered, by what became of them.",
      labels: ["result"])
    identityRejections = registry.counter(
      "kits_identity_rejections_total", help: "Refused identity proofs, by cause; those let through in shadow too.",
      labels: ["cause", "shadow"])
  }
}
