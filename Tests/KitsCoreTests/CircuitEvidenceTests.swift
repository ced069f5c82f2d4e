import Testing

@testable import KitsCore

@Suite("What the circuit breaker makes of answers")
struct CircuitEvidenceTests {
  private static let policy = BreakerPolicy()

  private func evidence(_ batches: [(accepted: Int, credential: Int, proven: Int)]) -> CircuitEvidence {
    var evidence = CircuitEvidence()
    for (second, batch) in batches.enumerated() {
      evidence.add(
        accepted: batch.accepted, credentialRefusals: batch.credential, provenRefusals: batch.proven,
        atSecond: Int64(second), Self.policy)
    }
    return evidence
  }

  @Test(
    "It opens from the third refusal of the credential, when they are half of the answers",
    arguments: [
      ((0, 2, 0), nil), ((0, 3, 0), PauseReason.credential), ((3, 3, 0), .credential), ((4, 3, 0), nil),
      ((97, 3, 0), nil), ((0, 100, 0), .credential),
    ])
  func credential(batch: (Int, Int, Int), reason: PauseReason?) {
    #expect(evidence([batch]).finding(Self.policy) == reason)
  }

  @Test(
    "It opens from the tenth refused token that was proven, when they are half of the answers",
    arguments: [
      ((0, 0, 9), nil), ((0, 0, 10), PauseReason.tokensRefused), ((10, 0, 10), .tokensRefused), ((11, 0, 10), nil),
      ((0, 0, 0), nil), ((0, 3, 10), .tokensRefused),
    ])
  func tokens(batch: (Int, Int, Int), reason: PauseReason?) {
    #expect(evidence([batch]).finding(Self.policy) == reason)
  }

  @Test("After any number of accepted pushes the second window of refusals opens it", arguments: [1, 3, 10, 1_000])
  func fades(windows: Int) {
    var evidence = evidence(Array(repeating: (100, 0, 0), count: windows))
    for second in [Int64(windows), Int64(windows) + 1] where evidence.finding(Self.policy) == nil {
      evidence.add(credentialRefusals: 100, atSecond: second, Self.policy)
    }
    #expect(evidence.finding(Self.policy) == .credential)
  }

  @Test("One by one they add up, whoever was refused before a long silence is forgotten")
  func time() {
    var slow = evidence([(0, 1, 0), (0, 1, 0), (0, 1, 0)])
    #expect(slow.finding(Self.policy) == .credential)
    slow = evidence([(0, 2, 0)])
    slow.add(credentialRefusals: 1, atSecond: Self.policy.forgetAfterSeconds, Self.policy)
    #expect(slow.finding(Self.policy) == .credential)
    slow = evidence([(0, 2, 0)])
    slow.add(credentialRefusals: 1, atSecond: Self.policy.forgetAfterSeconds + 1, Self.policy)
    #expect(slow.finding(Self.policy) == nil && slow.credentialRefusals == 1)
  }
}
