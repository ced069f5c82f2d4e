extension MetricsRegistry {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The Prometheus text format, version 0.0.4.
  func exposition() -> String {
    var text = ""
    for entry in snapshot() { entry.append(to: &text) }
    return text
  }
}

extension MetricsRegistry.Entry {
  fileprivate func append(to text: inout String) {
    switch source {
    case .counter(let family):
      head("counter", &text)
      for (values, child) in family.sorted() {
        sample("", labels(family.labels, values), String(child.value), &text)
      }
    case .gauge(let family):
      head("gauge", &text)
      for (values, child) in family.sorted() {
        sample("", labels(family.labels, values), number(child.value), &text)
      }
    case .histogram(let family):
      head("histogram", &text)
      for (values, child) in family.sorted() { append(child, labels(family.labels, values), &text) }
    case .observedCounter(let read):
      head("counter", &text)
      if let value = read() { sample("", [], number(value), &text) }
    case .observedGauge(let read):
      head("gauge", &text)
      if let value = read() { sample("", [], number(value), &text) }
    case .observedGauges(let label, let readers):
      head("gauge", &text)
      for reader in readers {
        if let value = reader.read() { sample("", labels([label], [reader.value]), number(value), &text) }
      }
    }
  }

  private func append(_ histogram: Histogram, _ labels: [String], _ text: inout String) {
    let snapshot = histogram.snapshot()
    let bounds = histogram.bounds.map(number) + ["+Inf"]
    for (bound, count) in zip(bounds, snapshot.cumulative) {
      sample("_bucket", labels + ["le=\"\(bound)\""], String(count), &text)
    }
    sample("_sum", labels, number(snapshot.sum), &text)
    sample("_count", labels, String(snapshot.count), &text)
  }

  private func head(_ type: String, _ text: inout String) {
    text += "# HELP \(name) \(escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
  }

  private func sample(_ suffix: String, _ labels: [String], _ value: String, _ text: inout String) {
    text += name + suffix
    if !labels.isEmpty { text += "{" + labels.joined(separator: ",") + "}" }
    text += " \(value)\n"
  }

  private func labels(_ names: [String], _ values: [String]) -> [String] {
    zip(names, values).map { "\($0)=\"\(escaped($1, quotes: true))\"" }
  }

  private func escaped(_ value: String, quotes: Bool) -> String {
    var result = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
    return "\(value)"
  }
}
