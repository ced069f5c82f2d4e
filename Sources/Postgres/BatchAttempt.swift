internal import Synchronization

/// The tries of one batch. Belongs to its lane alone.
struct BatchAttempt: Sendable {
  let progress = BatchProgress()
  var repeats = 0
  private let limits: BatchLimits
  private var replayUntil: ContinuousClock.Instant?
  private var pauses = 0

  init(limits: BatchLimits) { self.limits = limits }

  /// Something of the batch may have been applied.
  var touched: Bool { replayUntil != nil || progress.answered }

  var isOver: Bool { replayUntil.map { $0 <= .now } ?? false }

  mutating func lost() {
    if replayUntil == nil { replayUntil = .now + limits.replayWindow }
  }

  /// The first repetition comes at once.
  mutating func pause() async {
    defer { pauses += 1 }
    if pauses == 0 { return }
    let pause = min(limits.pause.most, limits.pause.first * (1 << min(pauses, 16)))
    // A lane's task is never cancelled.
    try? await Task.sleep(for: pause)
  }
}

/// Whether any statement of a batch was answered.
final class BatchProgress: Sendable {
  private let count = Atomic<Int>(0)

  var answered: Bool { count.load(ordering: .acquiring) > 0 }

  func note() { count.add(1, ordering: .releasing) }
}
