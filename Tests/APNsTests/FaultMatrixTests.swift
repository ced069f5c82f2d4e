import APNs
import TestSupport
import Testing

@Suite("Faults of the simulator")
struct FaultMatrixTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let script: String
    /// Requests that the fault may leave unknown.
    var unknown = 0
    var testDescription: String { name }
  }

  static let faults = [
    Fault(name: "one stream until the first answer", script: #"{"connection":{"initial_streams":1,"streams":500}}"#),
    Fault(
      name: "limit collapses after an error",
      script: """
        {"connection":{"streams":200,"collapse_after_error":true},
         "rules":[{"prefix":"bb","after":50,"times":5,"status":400,"reason":"BadDeviceToken"}]}
        """),
    Fault(name: "REFUSED_STREAM", script: #"{"rules":[{"prefix":"bb","after":20,"times":3,"reset":[7]}]}"#),
    Fault(name: "RST 7 then 5", script: #"{"rules":[{"prefix":"bb","after":20,"times":3,"reset":[7,5]}]}"#),
    // The simulator closes after its last answer, so answers may be lost to TCP's reset: those requests are unknown.
    Fault(
      name: "graceful GOAWAY",
      script: #"{"rules":[{"prefix":"bb","after":30,"times":1,"goaway":{"graceful":true}}]}"#, unknown: 100),
    Fault(
      name: "GOAWAY that refuses ten, twice",
      script:
        #"{"rules":[{"prefix":"bb","after":60,"times":1,"goaway":{"reason":"Shutdown","refuse":10,"twice":true}}]}"#,
      unknown: 100),
    Fault(name: "stream reset", script: #"{"rules":[{"prefix":"bb","after":20,"times":4,"reset":[8]}]}"#, unknown: 4),
    Fault(
      name: "killed by FIN", script: #"{"rules":[{"prefix":"bb","after":70,"times":1,"kill":"fin"}]}"#, unknown: 100),
    Fault(
      name: "killed by RST", script: #"{"rules":[{"prefix":"bb","after":70,"times":1,"kill":"rst"}]}"#, unknown: 100),
    Fault(name: "stall", script: #"{"rules":[{"prefix":"bb","after":20,"times":1,"silence":true}]}"#, unknown: 100),
    Fault(name: "slow reads", script: #"{"connection":{"read_pause_ms":1}}"#),
  ]

  @Test("every notification ends once, none is lost, none is doubled", arguments: faults)
  func fault(_ fault: Fault) async throws {
    let provider = try await TestProvider(script: fault.script) {
      $0.silence = .milliseconds(800)
      $0.requestDeadline = .seconds(30)
    }
    await provider.widen()
    let outcomes = await provider.send(APNsNotification.tests(400))
    #expect(outcomes.count == 400)
    var counts: [String: Int] = [:]
    for outcome in outcomes {
      switch outcome {
      case .accepted: counts["accepted", default: 0] += 1
      case .rejected: counts["rejected", default: 0] += 1
      case .notSent(let cause): counts["notSent \(cause)", default: 0] += 1
      case .unknown: counts["unknown", default: 0] += 1
      }
    }
    let accepted = counts["accepted", default: 0]
    let unknown = counts["unknown", default: 0]
    #expect(unknown <= fault.unknown, "\(counts)")
    #expect(accepted + counts["rejected", default: 0] + unknown == 400, "\(counts)")
    // What the service took lies between what we know and what we can't know.
    let taken = try await provider.simulator.count("accepted") - 40
    #expect((accepted...(accepted + unknown)).contains(taken), "\(counts), taken \(taken)")
    #expect(try await provider.simulator.count("duplicate_apns_ids") == 0)
    await provider.stop()
  }

  @Test("GOAWAY before any settings: tried again until it works")
  func goAwayFirst() async throws {
    let provider = try await TestProvider(script: #"{"connection":{"goaway_before_settings":{"code":2}}}"#)
    async let outcomes = provider.send(APNsNotification.tests(3))
    try await provider.simulator.wait("connections_opened=2")
    try await provider.simulator.delete("/script")
    let ends = await outcomes
    #expect(ends.allSatisfy { $0 == .accepted || { if case .unknown = $0 { true } else { false } }($0) }, "\(ends)")
    #expect(try await provider.simulator.count("duplicate_apns_ids") == 0)
    await provider.stop()
  }

  @Test("TooManyProviderTokenUpdates replaces the connection")
  func tooManyUpdates() async throws {
    let provider = try await TestProvider(
      script: #"{"rules":[{"token":"ff01","times":1,"status":429,"reason":"TooManyProviderTokenUpdates"}]}"#)
    let first = await provider.send([.test(token: "ff01")])
    #expect(first == [.rejected(APNsRejection(status: 429, reason: .tooManyProviderTokenUpdates))])
    #expect(await provider.send([.test(token: "ff01")]) == [.accepted])
    #expect(try await provider.simulator.count("connections_opened") == 2)
    await provider.stop()
  }
}
