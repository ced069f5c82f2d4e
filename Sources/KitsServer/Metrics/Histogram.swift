import Synchronization

/// Counts observations in fixed buckets.
final class Histogram: Sendable {
  /// Seconds: from a fast statement to the longest deadline.
  static let latency: [Double] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]
  /// Seconds that a message may wait for work before it.
  static let waits: [Double] = [
    0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800,
  ]
  /// Rows or items in a batch.
  static let sizes: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]

  struct Snapshot: Sendable, Equatable {
    /// Cumulative, one per bound and one for +Inf, which is also the count.
    let cumulative: [Int]
    let sum: Double
    var count: Int { cumulative.last ?? 0 }
  }

  let bounds: [Double]
  /// One per bound and one above; each observation touches exactly one.
  private let buckets: [Counter]
  private let sumBits = Atomic<UInt64>(0)

  init(bounds: [Double]) {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds must rise")
    self.bounds = bounds
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  func observe(_ value: Double) {
    guard !value.isNaN else { return }
    let index = bounds.firstIndex { value <= $0 } ?? bounds.count
    buckets[index].increment()
    sumBits.addDouble(value)
  }

  func observe(_ duration: Duration) {
    observe(duration / .seconds(1))
  }

  /// The count comes from the buckets themselves, so that both always agree.
  func snapshot() -> Snapshot {
    var total = 0
    let cumulative = buckets.map { bucket in
      total += bucket.value
      return total
    }
    return Snapshot(cumulative: cumulative, sum: Double(bitPattern: sumBits.load(ordering: .relaxed)))
  }
}
