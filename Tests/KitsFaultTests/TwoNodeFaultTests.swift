import Testing

@Suite("Two nodes through every fault", .serialized, .lab(nodes: 2, devices: FaultMatrix.devices))
struct TwoNodeFaultTests {
  @Test("Nothing is lost, and duplicates are harmless and flagged", arguments: Fault.all)
  func survives(_ fault: Fault) async throws {
    try await FaultMatrix().survives(fault)
  }
}
