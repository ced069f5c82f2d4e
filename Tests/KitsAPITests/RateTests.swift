import Crypto
import HTTPServer
import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// 429: how much one credential may send.
struct RateTests {
  private static let limit = RateLimit(perSecond: 10, burst: 3)
  private static let start = ContinuousClock.now

  @Test("A burst passes, then one request per interval; waiting fills the bucket again, up to the burst")
  func bucket() {
    let buckets = RateBuckets<String>(Self.limit, now: Self.start)
    func take(_ milliseconds: Int, _ key: String = "a") -> Duration? {
      buckets.take(key, now: Self.start + .milliseconds(milliseconds))
    }
    for _ in 0..<3 { #expect(take(0) == nil) }
    #expect(take(0) == .milliseconds(100))
    #expect(take(99) == .milliseconds(1))
    #expect(take(0, "b") == nil)
    #expect(take(100) == nil)
    #expect(take(100) == .milliseconds(100))
    for _ in 0..<3 { #expect(take(10_000) == nil) }
    #expect(take(10_000) == .milliseconds(100))
  }

  @Test("Refused requests cost nothing: who stops sending too much is served in time")
  func refusedAreFree() {
    let buckets = RateBuckets<String>(Self.limit, now: Self.start)
    for _ in 0..<1_000 { _ = buckets.take("a", now: Self.start) }
    #expect(buckets.take("a", now: Self.start + .milliseconds(100)) == nil)
  }

  @Test("In a clock that steps back nobody is locked out")
  func clockBack() {
    let buckets = RateBuckets<String>(Self.limit, now: Self.start)
    for _ in 0..<2 { #expect(buckets.take("a", now: Self.start) == nil) }
    #expect(buckets.take("a", now: Self.start - .milliseconds(50)) == .milliseconds(50))
  }

  @Test("The table is bounded; a full one makes room for those that are not full again")
  func bounded() {
    let buckets = RateBuckets<Int>(RateLimit(perSecond: 10, burst: 1), mostBuckets: 2, now: Self.start)
    for key in 0..<2 { #expect(buckets.take(key, now: Self.start) == nil) }
    // No room: taken and not counted.
    for _ in 0..<2 { #expect(buckets.take(2, now: Self.start) == nil) }
    #expect(buckets.take(0, now: Self.start) != nil)
    #expect(buckets.take(2, now: Self.start + .milliseconds(100)) == nil)
    #expect(buckets.take(2, now: Self.start + .milliseconds(100)) != nil)
  }

  /// What a credential gets that sends until it is refused: at a request a second that is soon.
  private static func flood(_ send: () async throws -> Reply) async throws -> Reply? {
    for _ in 0..<200 {
      let reply = try await send()
      if reply.status == 429 { return reply }
    }
    return nil
  }

  @Test("Over HTTP each kind of credential has its own limit, and the body isn't waited for")
  func overHTTP() async throws {
    let shared = try await RunningAPI.shared.value
    let slow = RateLimit(perSecond: 1, burst: 5)
    let running = try await RunningAPI(
      sharing: shared, rates: RateLimits(serverKey: slow, installation: slow, publicKey: slow))
    let tenant = try await Tenant.make(running)
    let (device, other) = (try await tenant.device(), try await tenant.device())
    let refused = try #require(try await Self.flood { try await device.read() })
    #expect(refused.code == "RATE_LIMITED")
    #expect(refused.json["retryable"]?.bool == true)
    #expect(refused.header("Retry-After") == "1")
    #expect(try await other.read().status == 200)
    // The body that is announced never comes.
    let head = HTTPCall.bytes(
      "PATCH", device.path,
      headers: device.bearer + [("Content-Type", "application/json"), ("Content-Length", "200000")], body: nil)
    _ = try await Self.flood { try await device.read() }
    let early = try await HTTPCall.send(head, port: running.server.port)
    #expect(early.code == "RATE_LIMITED")
    let key = try await tenant.serverKey([.installationsRead])
    let bearer = [("Authorization", "Bearer \(key.secret.text)")]
    #expect(try await Self.flood { try await running.send("GET", other.path, headers: bearer) } != nil)
    #expect(try await Self.flood { try await tenant.register() } != nil)
    #expect(try await other.read().status == 200)
    await running.server.stop(grace: .seconds(1))
  }
}
