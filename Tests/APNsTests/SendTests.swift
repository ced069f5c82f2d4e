import APNs
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Sending to a simulator over TLS")
struct SendTests {
  @Test("an accepted batch arrives with every field as it was given")
  func fields() async throws {
    let provider = try await TestProvider()
    let alert = APNsNotification.test(token: "abcd0123", priority: 5, expiration: 1_999_999_999, collapseID: "c1")
    let silent = APNsNotification.test(token: "abcd0124", type: .background, priority: 5, expiration: 0)
    #expect(await provider.send([alert, silent]) == [.accepted, .accepted])
    let first = try #require(try await provider.simulator.notifications(token: "abcd0123").first)
    #expect(first["apns_id"] as? String == alert.apnsID)
    #expect(
      first["headers"] as? [String: String] == [
        "apns-id": alert.apnsID, "apns-topic": "com.example.app", "apns-push-type": "alert", "apns-priority": "5",
        "apns-expiration": "1999999999", "apns-collapse-id": "c1", "content-type": "application/json",
        "content-length": "21",
      ])
    #expect(first["payload"] as? String == #"{"aps":{"alert":"x"}}"#)
    let second = try #require(try await provider.simulator.notifications(token: "abcd0124").first)
    let headers = try #require(second["headers"] as? [String: String])
    #expect(headers["apns-push-type"] == "background")
    #expect(headers["apns-expiration"] == "0", "0 is sent, not left out")
    #expect(headers["apns-collapse-id"] == nil)
    await provider.stop()
  }

  @Test("rejections come back in their places with reason and milliseconds")
  func rejections() async throws {
    let provider = try await TestProvider()
    let rules = [
      #"{"token":"bb000001","status":410,"reason":"Unregistered","timestamp":1700000000123}"#,
      #"{"token":"bb000003","status":400,"reason":"BrandNewReason"}"#,
      #"{"token":"bb000004","status":400,"reason":"BadDeviceToken","frame_bytes":3}"#,
    ]
    try await provider.simulator.post("/tokens", json: #"{"tokens":[\#(rules.joined(separator: ","))]}"#)
    let outcomes = await provider.send(APNsNotification.tests(6))
    let gone = APNsRejection(status: 410, reason: .unregistered, timestampMilliseconds: 1_700_000_000_123)
    #expect(
      outcomes == [
        .accepted, .rejected(gone), .accepted,
        .rejected(APNsRejection(status: 400, reason: APNsReason("BrandNewReason"))),
        .rejected(APNsRejection(status: 400, reason: .badDeviceToken)), .accepted,
      ])
    #expect(gone.reasonClass == .tokenDead)
    await provider.stop()
  }

  @Test("thousands go through once each, over several connections and threads")
  func many() async throws {
    let provider = try await TestProvider {
      $0.loopThreads = 2
      $0.connectionsPerPool = 3
    }
    let outcomes = await withTaskGroup { group in
      for batch in 0..<12 {
        group.addTask { await provider.send(APNsNotification.tests(250, prefix: String(format: "c%03x", batch))) }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(outcomes.count == 3_000)
    #expect(outcomes.allSatisfy { $0 == .accepted })
    #expect(try await provider.simulator.count("accepted") == 3_000)
    #expect(try await provider.simulator.count("duplicate_apns_ids") == 0)
    await provider.stop()
  }

  @Test("an expired provider token condemns the connection, not the token's holder")
  func expiredToken() async throws {
    let drained = Mutex<[String]>([])
    let provider = try await TestProvider { _ in
    } observe: { event in
      if case .draining(_, _, let cause) = event { drained.withLock { $0.append(cause) } }
    }
    let old = try ProviderToken.mint(
      teamID: TestProvider.teamID, keyID: TestProvider.keyID,
      issuedAt: Int64(Date().timeIntervalSince1970) - 4_000, key: provider.key)
    let outcome = await provider.client.send(
      [.test(token: "dd01")], pool: TestProvider.pool, token: old, leaseDeadline: .distantFuture)
    #expect(outcome == [.rejected(APNsRejection(status: 403, reason: .expiredProviderToken))])
    #expect(await provider.send([.test(token: "dd02")]) == [.accepted])
    #expect(drained.withLock { $0 } == ["spoilt"])
    #expect(try await provider.simulator.count("connections_opened") == 2)
    await provider.stop()
  }

  @Test("past the lease nothing leaves")
  func lease() async throws {
    let provider = try await TestProvider()
    let outcomes = await provider.send(APNsNotification.tests(3), lease: .now)
    #expect(outcomes == Array(repeating: .notSent(.leaseExpired), count: 3))
    #expect(try await provider.simulator.count("connections_opened") == 0)
    await provider.stop()
  }

  @Test("a retired pool closes, and the next send opens another connection")
  func retire() async throws {
    let provider = try await TestProvider()
    #expect(await provider.send([.test(token: "ee01")]) == [.accepted])
    provider.client.retire(TestProvider.pool)
    #expect(await provider.send([.test(token: "ee02")]) == [.accepted])
    #expect(try await provider.simulator.count("connections_opened") == 2)
    await provider.stop()
  }

  @Test("wrong settings are an error at once", arguments: ["http://127.0.0.1", "", "https://"])
  func settings(_ url: String) {
    var configuration = APNsClientConfiguration()
    configuration.productionURL = url
    #expect(throws: (any Error).self) { try APNsClient(configuration) }
  }
}
