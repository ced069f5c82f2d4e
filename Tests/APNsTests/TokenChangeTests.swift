import APNs
import Foundation
import KitsCore
import TestSupport
import Testing

/// When the provider token changes while pushes wait and are under way.
@Suite("A change of the provider token")
struct TokenChangeTests {
  /// A second token of the same key.
  private func next(_ provider: TestProvider) throws -> ProviderTokenValue {
    try ProviderToken.mint(
      teamID: TestProvider.teamID, keyID: TestProvider.keyID, issuedAt: Int64(Date().timeIntervalSince1970) - 1,
      key: provider.key)
  }

  private func send(
    _ count: Int, _ prefix: String, _ token: ProviderTokenValue, by provider: TestProvider
  ) async -> [SendOutcome] {
    await provider.client.send(
      APNsNotification.tests(count, prefix: prefix), pool: TestProvider.pool, token: token,
      leaseDeadline: .distantFuture)
  }

  @Test("On a connection younger than 20 minutes the new token would be refused: another connection takes over")
  func young() async throws {
    let provider = try await TestProvider()
    #expect(await send(20, "aa", provider.token, by: provider).allSatisfy { $0 == .accepted })
    #expect(await send(20, "bb", try next(provider), by: provider).allSatisfy { $0 == .accepted })
    #expect(try await provider.simulator.count("provider_tokens") == 2)
    #expect(try await provider.simulator.count("provider_tokens_on_connection") == 1)
    #expect(try await provider.simulator.count("connections_opened") == 2)
    #expect(try await provider.simulator.count(reason: "TooManyProviderTokenUpdates") == 0)
    await provider.stop()
  }

  @Test("On an older connection it changes once: what waits with the old token goes out with the new one")
  func old() async throws {
    let provider = try await TestProvider(script: #"{"latency_ms":20,"validation":{"token_update_seconds":0}}"#) {
      $0.tokenHold = .zero
      $0.window = 20
    }
    let second = try next(provider)
    async let before = send(400, "aa", provider.token, by: provider)
    try await provider.simulator.wait("accepted=40")
    async let after = send(400, "bb", second, by: provider)
    // A lane that read the old token before the change and sends only now.
    async let late = send(100, "cc", provider.token, by: provider)
    for outcomes in await [before, after, late] { #expect(outcomes.allSatisfy { $0 == .accepted }) }
    #expect(try await provider.simulator.count("provider_tokens") == 2)
    #expect(try await provider.simulator.count("provider_tokens_on_connection") == 2)
    #expect(try await provider.simulator.count("connections_opened") == 1)
    await provider.stop()
  }
}
