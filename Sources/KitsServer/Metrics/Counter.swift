import Synchronization

/// A number that only grows. One atomic add; callers on hot paths keep the counter instead of looking it up.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  func increment(by amount: Int = 1) {
    assert(amount >= 0, "a counter never falls")
    count.wrappingAdd(amount, ordering: .relaxed)
  }
}
