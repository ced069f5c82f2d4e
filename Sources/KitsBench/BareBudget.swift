import Synchronization

/// How many requests are still to be sent, shared by all connections, so that none ends long before the others.
final class BareBudget: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) {
    left = Atomic(count)
  }

  /// False when all are taken.
  func take() -> Bool {
    left.subtract(1, ordering: .relaxed).newValue >= 0
  }
}
