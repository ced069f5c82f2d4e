import HTTPClient
import Testing

@Suite("Trust")
struct TrustTests {
  private func send(_ change: (inout HTTP2Configuration) -> Void) async throws -> (HTTPOutcome?, Int) {
    let server = try ScriptedServer.answering()
    let outcomes = try await withClient(server, .quick(change)) { await $0.send(TestRequests("n", 1)) }
    return (outcomes.first, server.bodies.count)
  }

  @Test("a certificate from an unknown authority ends everything that waits at once")
  func unknownAuthority() async throws {
    let (outcome, seen) = try await send { $0.tls.anchors = nil }
    #expect(outcome == .neverSent(.noConnection(code: 60)))
    #expect(seen == 0)
  }

  @Test("T11: a pin that doesn't match ends everything, although the chain is trusted")
  func wrongPin() async throws {
    let pins = try HostPins(mask: "127.0.0.1", pins: ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])
    let (outcome, seen) = try await send { $0.tls.pins = [pins] }
    #expect(outcome == .neverSent(.noConnection(code: 90)))
    #expect(seen == 0)
  }

  @Test("T11: pins of other hosts don't matter")
  func otherPin() async throws {
    let pins = try HostPins(mask: "*.apple.com", pins: ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])
    let (outcome, _) = try await send { $0.tls.pins = [pins] }
    #expect(outcome == .ok)
  }
}
