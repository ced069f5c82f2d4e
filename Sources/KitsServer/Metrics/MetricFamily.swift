/// The children of one metric name, one per combination of label values, with a bound on how many there can be.
///
/// A label whose values come from outside could otherwise grow without end. Combinations beyond the bound share one
/// child whose labels all read `other`.
final class MetricFamily<Child: Sendable>: Sendable {
  /// Combinations per family; Prometheus itself suffers long before this hurts us.
  static var maximumChildren: Int { 200 }

  let labels: [String]
  private let make: @Sendable () -> Child
  /// Keyed by label values. Read and written by any thread; the lock is held for one dictionary access.
  private let children: Locked<[[String]: Child]>

  init(labels: [String], make: @escaping @Sendable () -> Child) {
    self.labels = labels
    self.make = make
    children = Locked(labels.isEmpty ? [[]: make()] : [:])
  }

  func with(_ values: String...) -> Child { child(values) }

  func child(_ values: [String]) -> Child {
    precondition(values.count == labels.count, "one value per label")
    return children.withLock { children in
      if let child = children[values] { return child }
      let key = children.count < Self.maximumChildren ? values : labels.map { _ in "other" }
      if let child = children[key] { return child }
      let child = make()
      children[key] = child
      return child
    }
  }

  /// Sorted, so that two scrapes list samples in the same order.
  func sorted() -> [(values: [String], child: Child)] {
    children.withLock { $0.map { (values: $0.key, child: $0.value) } }
      .sorted { $0.values.lexicographicallyPrecedes($1.values) }
  }
}

typealias CounterFamily = MetricFamily<Counter>
typealias GaugeFamily = MetricFamily<Gauge>
typealias HistogramFamily = MetricFamily<Histogram>
