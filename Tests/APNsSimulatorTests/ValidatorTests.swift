import Testing

@testable import APNsSimulator

@Suite("Validation without a network")
struct ValidatorTests {
  private let provider = Provider()
  private let now: Int64 = 1_900_000_000

  private func reason(_ change: (Push) -> Push, keys: [ProviderKey]? = nil) throws -> Reason? {
    var ring = KeyRing()
    for key in keys ?? [provider.known] { _ = ring.add(key) }
    var credential = ConnectionCredential()
    let push = change(Push(token: try provider.token(issuedAt: now)))
    return Validator(keys: ring, now: now)
      .reject(push.request, credential: &credential, reader: ProviderTokenReader())?.reason
  }

  @Test(
    "A request that deviates in one point gets the reason for that point",
    arguments: Case.routes + Case.devices + Case.headers + Case.topics + Case.payloads)
  func oneDeviation(_ example: Case) throws {
    #expect(try reason(example.change) == example.reason)
  }

  @Test("Of two faults the one that is checked first is named")
  func order() throws {
    let bad = "zz"
    #expect(try reason { $0.route("GET", "/nowhere") } == .methodNotAllowed)
    #expect(try reason { $0.with("apns-id", "x").route("POST", "/nowhere") } == .badPath)
    #expect(try reason { $0.with("apns-id", "x", "x") } == .duplicateHeaders)
    #expect(try reason { $0.with("apns-id", "x").with("authorization") } == .badMessageID)
    #expect(try reason { $0.with("authorization").with("apns-topic").to(bad) } == .missingProviderToken)
    #expect(try reason { $0.with("apns-collapse-id", "").with("apns-topic") } == .badCollapseID)
    #expect(try reason { $0.with("apns-topic").to(bad) } == .missingTopic)
    #expect(try reason { $0.to(bad).body("") } == .badDeviceToken)
    #expect(try reason { $0.body(String(repeating: "x", count: 4_097)) } == .payloadTooLarge)
  }

  @Test("A topic key is good for its bundle ids, with or without a suffix, and for no other")
  func topicKey() throws {
    var key = provider.known
    key.topics = ["com.example.app"]
    #expect(try reason({ $0 }, keys: [key]) == nil)
    #expect(
      try reason(
        { $0.with("apns-push-type", "voip").with("apns-topic", "com.example.app.voip") }, keys: [key]) == nil)
    #expect(try reason({ $0.with("apns-topic", "com.example.other") }, keys: [key]) == .topicDisallowed)
  }

  @Test("Every reason has a status in the range of errors", arguments: Reason.allCases)
  func statuses(_ reason: Reason) {
    #expect((400...503).contains(reason.status))
  }
}
