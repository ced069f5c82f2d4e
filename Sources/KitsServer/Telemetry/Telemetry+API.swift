internal import KitsAPI
internal import KitsCore

extension Telemetry {
  func apiObserver(_ metrics: APIMetrics) -> @Sendable (APIEvent) -> Void {
    { [self] event in record(event, metrics) }
  }

  private func record(_ event: APIEvent, _ metrics: APIMetrics) {
    switch event {
    case .internalFault(let requestID, let cause):
      metrics.faults.with(KitsError.Code.internalFault.rawValue).increment()
      log(.error, "api_internal_fault", requestID: requestID, [("cause", .string(cause))])
    case .databaseFault(let requestID, let code, let cause):
      metrics.faults.with(code.rawValue).increment()
      logSparsely(
        .warning, "api_database_fault", part: code.rawValue, requestID: requestID,
        [("code", .string(code.rawValue)), ("cause", .string(cause))])
    case .refused(let code): metrics.refusals.with(code.rawValue).increment()
    case .signatureRefused(let fault): metrics.signatureRefusals.with(fault.rawValue).increment()
    case .installationRegistered(let replayed): metrics.registrations.with(word(replayed)).increment()
    case .installationUpdated(let applied): metrics.updates.with(word(applied)).increment()
    case .installationDeleted: metrics.deletions.with().increment()
    case .messageCreated(let replayed): metrics.messagesCreated.with(word(replayed)).increment()
    case .messageCanceled: metrics.messagesCanceled.with().increment()
    case .audiencePreviewed(let exactly): metrics.audiencesPreviewed.with(word(exactly)).increment()
    case .eventAnswered(let type, let source, let result):
      metrics.notificationEvents.with(word(type), word(source), result.name).increment()
    case .activityAnswered(let type, let result):
      metrics.activityRecords.with(type?.name ?? "unknown", result.name).increment()
    case .identityAnswered(let tally): metrics.identityOperations.with(tally.rawValue).increment()
    case .identityProofRefused(let cause, let overlooked):
      metrics.identityRejections.with(cause, word(overlooked)).increment()
    case .administered(let action, let refusal):
      metrics.administrations.with(action.rawValue, refusal?.rawValue ?? "none").increment()
    case .appPaused(let app): log(.notice, "app_paused", [("app_id", .string(app.text)), ("reason", "operator")])
    case .appResumed(let app): log(.notice, "app_resumed", [("app_id", .string(app.text))])
    }
  }

  private func word(_ type: NotificationEventType?) -> String { type?.name.lowercased() ?? "unknown" }

  private func word(_ source: NotificationEventSource) -> String {
    switch source {
    case .app: "app"
    case .serviceExtension: "extension"
    }
  }

  private func word(_ flag: Bool) -> String { flag ? "true" : "false" }
}
