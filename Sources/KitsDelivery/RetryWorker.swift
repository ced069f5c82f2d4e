import APNs
import KitsCore
import KitsStore

/// Tries again what failed in passing. Each attempt is committed before it is sent.
struct RetryWorker: Sendable {
  let store: DeliveryStore
  let cache: MessageCache
  let sender: Sender
  let breaker: CircuitBreaker
  let reasons: ReasonCodes
  let reporter: Reporter
  let marker: DeliveryMarker
  let configuration: DeliveryConfiguration
  let observe: @Sendable (DeliveryEvent) -> Void

  /// How many retries were worked on.
  func workOnce() async throws -> Int {
    let deadline = BootInstant.now.advanced(by: configuration.handOverTime)
    let claimed = try await store.claimRetries(limit: configuration.retriesPerClaim)
    guard !claimed.isEmpty else { return 0 }
    var touched: Set<OpenMessage> = []
    var trouble: (any Error)?
    for (message, retries) in Dictionary(grouping: claimed, by: \.message) {
      do {
        try await work(on: retries, of: message, before: deadline)
      } catch {
        // The others are claimed too: each must get its result before anything else is done.
        trouble = error
      }
      touched.insert(message)
    }
    for message in touched where try await store.finish(message) {
      observe(.completed(message: message.message))
      await cache.forget(message)
    }
    if let trouble { throw trouble }
    return claimed.count
  }

  private func work(on retries: [ClaimedRetry], of open: OpenMessage, before deadline: BootInstant) async throws {
    guard let message = try await cache.message(open) else { return }
    var results: [RetryResult] = []
    var sends: [(retry: ClaimedRetry, send: WindowPlan.Send)] = []
    for retry in retries {
      switch RetryDecision.decide(retry, onUnknown: message.onUnknown, hasKey: message.key != nil) {
      case .end(let outcome): results.append(retry.ended(outcome))
      case .hold(let environment): results.append(retry.held(in: environment))
      case .send(let token, let device):
        let send = WindowPlan.Send(
          place: 0, recipient: retry.recipient, token: token, environment: device.apnsEnvironment,
          notification: message.notification(
            to: token, retry.recipient.number, device: device, address: retry.address, marking: marker))
        sends.append((retry, send))
      }
    }
    let outcomes: [SendOutcome]
    do {
      outcomes = try await sender.send(sends.map { ($0.send, message) }, before: deadline)
    } catch {
      // Nothing was handed over, which must be written: an attempt without a result counts as unknown.
      try await commit(results + sends.map { notSent($0.retry) })
      throw error
    }
    let kept = await breaker.judge(sends.map(\.send), outcomes, of: message.app, key: message.key)
    var feedback: [TokenFeedback] = []
    for ((retry, send), outcome) in zip(sends, outcomes) {
      let isKept = kept.contains(send.recipient.number)
      let verdict = Verdict.of(outcome, onUnknown: message.onUnknown, isKept: isKept)
      results.append(await result(of: retry, verdict))
      if let mark = send.feedback(verdict, of: message.app) { feedback.append(mark) }
    }
    await reporter.mark(feedback)
    reporter.reportRefusals(in: outcomes, of: message.app)
    try await commit(results)
    reporter.count(
      results.map { result in if case .final(let outcome) = result.next { outcome.outcomeClass } else { .pending } })
  }

  /// Results stay in memory until they are written: an attempt without a result would be sent again. Whoever took a
  /// retry over meanwhile has another epoch, and then its result here isn't written.
  private func commit(_ results: [RetryResult]) async throws {
    var pause = Duration.milliseconds(50)
    while true {
      do {
        return try await store.record(results)
      } catch {
        observe(.troubled(activity: "retry result", problem: String(describing: error)))
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(2))
      }
    }
  }

  /// The attempt didn't take place: what was known of the delivery still stands.
  private func notSent(_ retry: ClaimedRetry) -> RetryResult {
    let delay = configuration.retry.delayMilliseconds(after: retry.attempts, cause: .unreachable)
    return RetryResult(
      address: retry.address, epoch: retry.epoch, status: 0,
      reason: retry.isUnknown ? Verdict.unknownReason : Verdict.notSentReason, resent: false,
      next: .again(delayMilliseconds: delay))
  }

  private func result(of retry: ClaimedRetry, _ verdict: Verdict) async -> RetryResult {
    switch verdict {
    case .accepted: return retry.attempted(status: 200, reason: "accepted", next: .final(.accepted))
    case .unknown: return retry.attempted(status: 0, reason: Verdict.unknownReason, next: .final(.unknown))
    case .failed(let reason, let status, _, _):
      return retry.attempted(status: status, reason: reason, next: .final(await reasons.code(for: reason)))
    case .kept(let status, let reason):
      return retry.attempted(
        status: status, reason: reason, next: .again(delayMilliseconds: RetryPolicy.parkedMilliseconds))
    case .retry(_, 0, let reason) where reason != Verdict.unknownReason: return notSent(retry)
    case .retry(let cause, let status, let reason):
      let delay = configuration.retry.delayMilliseconds(after: retry.attempts, cause: cause)
      return retry.attempted(status: status, reason: reason, next: .again(delayMilliseconds: delay))
    }
  }
}

/// Whether a due retry is sent or has ended meanwhile. Pure.
enum RetryDecision: Equatable {
  case end(OutcomeCode)
  case send(token: String, device: Recipient.Device)
  /// Its app is paused.
  case hold(APNsEnvironment)

  static func decide(_ retry: ClaimedRetry, onUnknown: OnUnknown, hasKey: Bool) -> RetryDecision {
    if retry.wasAttempting && onUnknown == .skip { return .end(.unknown) }
    if retry.messageState == .canceled { return .end(retry.isUnknown ? .unknown : .canceled) }
    if retry.isExpired { return .end(retry.isUnknown ? .unknown : .expired) }
    guard hasKey else { return .end(.noProvider) }
    switch DispatchDecision.decide(retry.recipient) {
    case .suppress(let code): return .end(retry.isUnknown ? .unknown : code)
    case .hold(let environment): return .hold(environment)
    case .send(let token, let device): return .send(token: token, device: device)
    }
  }
}

extension ClaimedRetry {
  var message: OpenMessage { OpenMessage(app: address.app, message: address.message) }

  /// An earlier attempt may have reached the device.
  var isUnknown: Bool { wasAttempting || wasResent || lastReason == Verdict.unknownReason }

  func attempted(status: Int32, reason: String, next: RetryResult.Next) -> RetryResult {
    RetryResult(address: address, epoch: epoch, status: status, reason: reason, resent: isUnknown, next: next)
  }

  /// Put aside until its app is resumed; what was known of it still stands.
  func held(in environment: APNsEnvironment) -> RetryResult {
    RetryResult(
      address: address, epoch: epoch, status: 0, reason: isUnknown ? Verdict.unknownReason : Verdict.pausedReason,
      resent: false, next: .again(delayMilliseconds: RetryPolicy.parkedMilliseconds), environment: environment)
  }

  /// Ended without another attempt.
  func ended(_ outcome: OutcomeCode) -> RetryResult {
    RetryResult(
      address: address, epoch: epoch, status: 0, reason: lastReason, resent: false, next: .final(outcome))
  }
}
