internal import APNs
internal import KitsCore
internal import KitsDelivery

extension Telemetry {
  func deliveryObserver(_ metrics: DeliveryMetrics) -> @Sendable (DeliveryEvent) -> Void {
    { [self] event in record(event, metrics) }
  }

  private func record(_ event: DeliveryEvent, _ metrics: DeliveryMetrics) {
    switch event {
    case .windowSent(let count, let seconds):
      metrics.windowSeconds.with().observe(seconds)
      metrics.windowSizes.with().observe(Double(count))
    // Of a window these are the ones that get another attempt.
    case .outcomes(.pending, let count): metrics.retriesScheduled.with().increment(by: count)
    case .outcomes(let outcomeClass, let count): metrics.deliveries.with(outcomeClass.name).increment(by: count)
    case .tokensMarked(let state, let count):
      metrics.tokensMarked.with(state.name).increment(by: count)
      log(.debug, "tokens_marked", [("state", .string(state.name)), ("count", .integer(count))])
    case .planned(let message, let recipients, let chunks):
      metrics.planned.with().increment(by: Int(recipients))
      log(
        .info, "message_planned",
        [number(message), ("recipients", .integer(Int(recipients))), ("chunks", .integer(Int(chunks)))])
    case .refused(let message, let reason):
      metrics.refused.with(reason.code).increment()
      log(.notice, "message_refused", [number(message), ("reason", .string(reason.code))])
    case .completed(let message):
      metrics.completed.with().increment()
      log(.info, "message_completed", [number(message)])
    case .chunksSwept(let count):
      metrics.chunksSwept.with().increment(by: count)
      log(.info, "chunks_swept", [("count", .integer(count))])
    case .providerTokenMinted(let team, let key):
      metrics.tokensMinted.with().increment()
      log(.notice, "provider_token_minted", [("team_id", .string(team)), ("key_id", .string(key))])
    case .leaseLost, .keyUnusable, .credentialRefused, .paused, .suspectsRemembered, .troubled:
      recordTrouble(event, metrics)
    case .dayDropped, .dayKept, .rowsForgotten: recordRetention(event, metrics)
    }
  }

  private func recordRetention(_ event: DeliveryEvent, _ metrics: DeliveryMetrics) {
    switch event {
    case .dayDropped(let day):
      metrics.daysDropped.with().increment()
      log(.info, "day_dropped", [("day", .integer(Int(day)))])
    case .dayKept(let day, let reason):
      metrics.daysKept.with().increment()
      log(.warning, "day_kept", [("day", .integer(Int(day))), ("reason", .string(reason))])
    case .rowsForgotten(let table, let count):
      metrics.rowsForgotten.with(table).increment(by: count)
      log(.info, "rows_forgotten", [("table", .string(table)), ("count", .integer(count))])
    // The others are recorded elsewhere.
    default: break
    }
  }

  private func recordTrouble(_ event: DeliveryEvent, _ metrics: DeliveryMetrics) {
    switch event {
    case .leaseLost(let message, let chunk):
      metrics.leasesLost.with().increment()
      logSparsely(.warning, "lease_lost", [number(message), ("chunk", .integer(Int(chunk)))])
    case .keyUnusable(let app, let team, let key, let problem):
      metrics.keysUnusable.with().increment()
      logSparsely(
        .error, "apns_key_unusable", part: String(app.value),
        [
          ("app_no", .integer(Int(app.value))), ("team_id", .string(team)), ("key_id", .string(key)),
          ("problem", .string(problem)),
        ])
    case .credentialRefused(let app, let reason, let count):
      metrics.credentialRefusals.with(reason.text).increment(by: count)
      logSparsely(
        .error, "apns_credential_refused", part: String(app.value),
        [
          ("app_no", .integer(Int(app.value))), ("reason", .string(reason.text)), ("count", .integer(count)),
        ])
    case .paused(let app, let environment, let reason, let detail):
      metrics.pauses.with(reason.name).increment()
      log(
        .error, "app_paused",
        pause(app, environment) + [
          ("reason", .string(reason.name)), ("detail", .string(detail ?? "")),
        ])
    case .suspectsRemembered(let app, let environment, let count):
      metrics.suspectsRemembered.with().increment(by: count)
      log(.warning, "proven_tokens_refused", pause(app, environment) + [("count", .integer(count))])
    case .troubled(let activity, let problem):
      metrics.troubles.with(activity).increment()
      logSparsely(
        .warning, "delivery_troubled", part: activity, [("activity", .string(activity)), ("problem", .string(problem))])
    // The others are no trouble and recorded above.
    default: break
    }
  }

  private func pause(_ app: AppNumber, _ environment: APNsEnvironment) -> [(String, LogValue)] {
    [("app_no", .integer(Int(app.value))), ("apns_environment", .string(environment.name))]
  }

  private func number(_ message: MessageNumber) -> (String, LogValue) {
    ("message_no", .integer(Int(message.value)))
  }
}
