import Testing

/// Each fault of the simulator × one node and two: the message completes, nothing is lost, the ledger adds up, and what
/// came twice has the same apns-id and collapse id and is flagged.
@Suite("One node through every fault", .serialized, .lab(nodes: 1, devices: FaultMatrix.devices))
struct OneNodeFaultTests {
  @Test("Nothing is lost, and duplicates are harmless and flagged", arguments: Fault.all)
  func survives(_ fault: Fault) async throws {
    try await FaultMatrix().survives(fault)
  }
}
