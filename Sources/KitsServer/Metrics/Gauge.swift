import Synchronization

/// A number that goes up and down.
final class Gauge: Sendable {
  /// Bits of a Double: there is no atomic Double.
  private let bits = Atomic<UInt64>(0)

  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  func set(_ value: Double) {
    bits.store(value.bitPattern, ordering: .relaxed)
  }

  func add(_ amount: Double) {
    bits.addDouble(amount)
  }
}

extension Atomic where Value == UInt64 {
  /// Adds to the Double whose bits are stored here.
  func addDouble(_ amount: Double) {
    var current = load(ordering: .relaxed)
    while true {
      let next = (Double(bitPattern: current) + amount).bitPattern
      let (exchanged, original) = weakCompareExchange(expected: current, desired: next, ordering: .relaxed)
      if exchanged { return }
      current = original
    }
  }
}
