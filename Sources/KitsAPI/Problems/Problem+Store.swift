internal import KitsCore
internal import KitsStore

extension Problem {
  /// A store couldn't do it. `isHarmless`: doing the identical request again has no second effect.
  init(_ error: StoreError, repeatingIsHarmless isHarmless: Bool) {
    let fault = StoreFault(error)
    self.init(fault.code, fault.detail)
    cause = fault.cause
    if code == .outcomeUnknown { isRetryable = isHarmless }
  }
}

/// How long a request may wait for the database, queues included.
enum StorePatience {
  static let limit: Duration = .seconds(5)

  static var deadline: ContinuousClock.Instant { .now + limit }
}

/// Calls a store within the time that a request may take.
///
/// - Parameter repeatingIsHarmless: what a client whose request got lost may do: true for reads and whatever carries an
///   idempotency key or is idempotent by itself.
func asking<Answer>(
  repeatingIsHarmless: Bool, _ call: (ContinuousClock.Instant) async throws(StoreError) -> Answer
) async throws(Problem) -> Answer {
  do {
    return try await call(StorePatience.deadline)
  } catch {
    throw Problem(error, repeatingIsHarmless: repeatingIsHarmless)
  }
}
