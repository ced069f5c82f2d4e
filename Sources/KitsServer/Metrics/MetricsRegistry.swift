/// All metrics of this process. Names are registered once, at wiring; registering a name twice is a mistake in the
/// code and stops the process at start.
final class MetricsRegistry: Sendable {
  enum Source: Sendable {
    case counter(CounterFamily)
    case gauge(GaugeFamily)
    case histogram(HistogramFamily)
    /// Read at each scrape; nil leaves the sample out.
    case observedCounter(@Sendable () -> Double?)
    case observedGauge(@Sendable () -> Double?)
    /// The same with one label; the values are fixed at registration.
    case observedGauges(label: String, [(value: String, read: @Sendable () -> Double?)])
  }

  struct Entry: Sendable {
    let name: String
    let help: String
    let source: Source
  }

  private let entries = Locked<[Entry]>([])

  func counter(_ name: String, help: String, labels: [String] = []) -> CounterFamily {
    precondition(name.hasSuffix("_total"), "a counter's name ends in _total")
    let family = CounterFamily(labels: labels) { Counter() }
    register(name, help, .counter(family), labels)
    return family
  }

  func gauge(_ name: String, help: String, labels: [String] = []) -> GaugeFamily {
    let family = GaugeFamily(labels: labels) { Gauge() }
    register(name, help, .gauge(family), labels)
    return family
  }

  func histogram(
    _ name: String, help: String, labels: [String] = [], bounds: [Double] = Histogram.latency
  ) -> HistogramFamily {
    let family = HistogramFamily(labels: labels) { Histogram(bounds: bounds) }
    register(name, help, .histogram(family), labels)
    return family
  }

  func observedCounter(_ name: String, help: String, _ read: @escaping @Sendable () -> Double?) {
    precondition(name.hasSuffix("_total"), "a counter's name ends in _total")
    register(name, help, .observedCounter(read), [])
  }

  func observedGauge(_ name: String, help: String, _ read: @escaping @Sendable () -> Double?) {
    register(name, help, .observedGauge(read), [])
  }

  func observedGauges(
    _ name: String, help: String, label: String, _ readers: [(value: String, read: @Sendable () -> Double?)]
  ) {
    register(name, help, .observedGauges(label: label, readers), [label])
  }

  /// In order of registration.
  func snapshot() -> [Entry] { entries.withLock { $0 } }

  private func register(_ name: String, _ help: String, _ source: Source, _ labels: [String]) {
    precondition(MetricName.isMetric(name), "no valid metric name")
    precondition(labels.allSatisfy { MetricName.isLabel($0) && $0 != "le" }, "no valid label name")
    entries.withLock { entries in
      precondition(!entries.contains { $0.name == name }, "metric registered twice")
      entries.append(Entry(name: name, help: help, source: source))
    }
  }
}

/// The character rules of the exposition format.
enum MetricName {
  static func isMetric(_ name: String) -> Bool {
    isName(name) { $0 == UInt8(ascii: ":") }
  }

  static func isLabel(_ name: String) -> Bool {
    isName(name) { _ in false } && !name.hasPrefix("__")
  }

  private static func isName(_ name: String, _ isExtra: (UInt8) -> Bool) -> Bool {
    guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || byte == 95 || isExtra(byte)
    }
  }
}
