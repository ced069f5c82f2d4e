internal import KitsCore
internal import KitsStore

/// Why an installation got a message, or didn't.
struct DeliveryExplanation: Sendable {
  let isPlanned: Bool
  let isForgotten: Bool
  /// Nil when it isn't known, not yet or not any more.
  let isTargeted: Bool?
  let delivery: DeliveryDetail?
  /// Of an installation that was no member.
  let checks: [TargetCheck]

  init(
    _ message: ReadableMessage, isForgotten: Bool = false, isTargeted: Bool?, delivery: DeliveryDetail? = nil,
    checks: [TargetCheck] = []
  ) {
    isPlanned = message.isPlanned
    self.isForgotten = isForgotten
    self.isTargeted = isTargeted
    self.delivery = delivery
    self.checks = checks
  }
}
