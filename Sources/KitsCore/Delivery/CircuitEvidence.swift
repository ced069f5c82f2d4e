/// What the answers for one app and APNs environment say of its credential. Pure; one node's view.
package struct CircuitEvidence: Sendable, Equatable {
  package private(set) var accepted = 0
  package private(set) var credentialRefusals = 0
  package private(set) var provenRefusals = 0
  private var lastSecond: Int64 = 0

  package init() {}

  package mutating func add(
    accepted: Int = 0, credentialRefusals: Int = 0, provenRefusals: Int = 0, atSecond second: Int64,
    _ policy: BreakerPolicy
  ) {
    if second - lastSecond > policy.forgetAfterSeconds { self = CircuitEvidence() }
    lastSecond = second
    while total > policy.memory {
      self.accepted /= 2
      self.credentialRefusals /= 2
      self.provenRefusals /= 2
    }
    // A batch counts in full once: it may be all there is to decide on.
    self.accepted += accepted
    self.credentialRefusals += credentialRefusals
    self.provenRefusals += provenRefusals
  }

  /// Why the circuit has to open; nil while it need not.
  package func finding(_ policy: BreakerPolicy) -> PauseReason? {
    if credentialRefusals >= policy.credentialRefusals, share(credentialRefusals) >= policy.credentialShare {
      return .credential
    }
    if provenRefusals >= policy.provenRefusals, share(provenRefusals) >= policy.provenShare { return .tokensRefused }
    return nil
  }

  private var total: Int { accepted + credentialRefusals + provenRefusals }

  private func share(_ count: Int) -> Double { Double(count) / Double(max(1, total)) }
}
