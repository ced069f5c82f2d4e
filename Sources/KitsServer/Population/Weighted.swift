/// Things to draw from, some more often than others.
struct Weighted<Value: Sendable>: Sendable {
  private let values: [Value]

  /// - Parameter weights: how many of all draws, in the unit of their sum.
  init(_ weights: [(Value, Int)]) {
    values = weights.flatMap { Array(repeating: $0.0, count: $0.1) }
  }

  func draw(_ random: inout SplitMix) -> Value { values[random.below(values.count)] }
}
