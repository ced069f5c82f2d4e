import Testing

@testable import KitsServer

@Suite("Metrics")
struct MetricsTests {
  @Test("The exposition is exactly this")
  func snapshot() {
    let registry = MetricsRegistry()
    let requests = registry.counter("kits_requests_total", help: "Requests\nby \\ route.", labels: ["route", "code"])
    requests.with("/v1/\"x\"\n\\", "200").increment(by: 2)
    registry.gauge("kits_backlog", help: "Backlog.").with().set(1.5)
    let latency = registry.histogram("kits_latency_seconds", help: "Latency.", bounds: [0.1, 1]).with()
    for value in [0.1, 0.2, 5] { latency.observe(value) }
    latency.observe(.milliseconds(50))
    registry.observedGauge("kits_infinite", help: "I.") { -.infinity }
    registry.observedGauge("kits_absent", help: "A.") { nil }
    #expect(
      registry.exposition() == #"""
        # HELP kits_requests_total Requests\nby \\ route.
        # TYPE kits_requests_total counter
        kits_requests_total{route="/v1/\"x\"\n\\",code="200"} 2
        # HELP kits_backlog Backlog.
        # TYPE kits_backlog gauge
        kits_backlog 1.5
        # HELP kits_latency_seconds Latency.
        # TYPE kits_latency_seconds histogram
        kits_latency_seconds_bucket{le="0.1"} 2
        kits_latency_seconds_bucket{le="1"} 3
        kits_latency_seconds_bucket{le="+Inf"} 4
        kits_latency_seconds_sum 5.35
        kits_latency_seconds_count 4
        # HELP kits_infinite I.
        # TYPE kits_infinite gauge
        kits_infinite -Inf
        # HELP kits_absent A.
        # TYPE kits_absent gauge

        """#)
  }

  @Test("Everything a process exposes obeys the rules of the format")
  func rules() throws {
    let registry = MetricsRegistry()
    ProcessMetrics.register(in: registry)
    let odd = registry.counter("kits_odd_total", help: "Odd.", labels: ["a"])
    for value in ["", "é", "}\",{", "\\", "\r\n"] { odd.with(value).increment() }
    registry.histogram("kits_h", help: "H.", labels: ["x"]).with("1").observe(0.3)
    let text = registry.exposition()
    try ExpositionRules.check(text)
    for name in [
      "process_start_time_seconds", "process_resident_memory_bytes", "process_open_fds", "process_max_fds",
      "process_cpu_seconds_total", "kits_build_info{version=\"\(Version.text)\"}",
    ] {
      #expect(text.contains("\n\(name) "), "\(name) has no sample")
    }
  }

  @Test("Process figures are plausible")
  func processFigures() throws {
    let start = try #require(ProcessMetrics.startTime())
    let now = Double(Timestamp.now().milliseconds) / 1000
    #expect(start > now - 86_400 && start <= now + 2)
    #expect(try #require(ProcessMetrics.residentBytes()) > 1_000_000)
    #expect(try #require(ProcessMetrics.openDescriptors()) >= 3)
    #expect(try #require(ProcessMetrics.cpuSeconds()) > 0)
  }

  @Test("Label combinations beyond the bound share one child called other")
  func bound() {
    let registry = MetricsRegistry()
    let family = registry.counter("kits_x_total", help: "X.", labels: ["a", "b"])
    for number in 0..<(CounterFamily.maximumChildren + 50) { family.with("\(number)", "v").increment() }
    family.with("3", "v").increment()
    let children = family.sorted()
    #expect(children.count == CounterFamily.maximumChildren + 1)
    #expect(family.with("other", "other").value == 50)
    #expect(family.with("3", "v").value == 2)
  }

  @Test("Concurrent updates lose nothing")
  func concurrency() async {
    let counter = Counter()
    let gauge = Gauge()
    let histogram = Histogram(bounds: [1, 2])
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1000 {
            counter.increment()
            gauge.add(1)
            histogram.observe(1.5)
          }
        }
      }
    }
    #expect(counter.value == 8000)
    #expect(gauge.value == 8000)
    #expect(histogram.snapshot() == Histogram.Snapshot(cumulative: [0, 8000, 8000], sum: 12_000))
  }
}
