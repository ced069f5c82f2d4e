/// Of a set of measurements.
struct Percentiles {
  private let sorted: [Double]

  init(_ values: some Sequence<Double>) {
    sorted = values.sorted()
  }

  /// The value that `share` of all don't exceed; 0 when there is none.
  subscript(_ share: Double) -> Double {
    guard let last = sorted.indices.last else { return 0 }
    return sorted[min(last, Int(Double(sorted.count) * share))]
  }
}
