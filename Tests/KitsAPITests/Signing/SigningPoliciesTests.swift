import Crypto
import KitsCore
import Synchronization
import Testing

@testable import KitsAPI

/// What a node keeps of signing policies, on a clock of the test's own.
struct SigningPoliciesTests {
  /// A database that counts the reads of it, and a clock that stands until it is moved.
  final class Source: Sendable {
    private struct State {
      var now = ContinuousClock.now
      var reads = 0
      var bucket: Int64 = 60
      var fails = false
      var pauses: [Duration] = []
    }
    private let state = Mutex(State())

    var reads: Int { state.withLock { $0.reads } }
    var pauses: [Duration] { state.withLock { $0.pauses } }
    var now: ContinuousClock.Instant { state.withLock { $0.now } }

    func advance(_ duration: Duration) { state.withLock { $0.now += duration } }
    func set(bucket: Int64) { state.withLock { $0.bucket = bucket } }
    func set(fails: Bool) { state.withLock { $0.fails = fails } }

    func read() throws(Problem) -> SigningPolicies.Reading? {
      let (bucket, fails) = state.withLock { state in
        state.reads += 1
        return (state.bucket, state.fails)
      }
      if fails { throw Problem(.databaseUnavailable, "down") }
      guard bucket > 0 else { return nil }
      let policy = SigningPolicy(
        mode: .required, bucketSeconds: bucket, appToken: [], current: nil, previous: nil)
      return SigningPolicies.Reading(policy: policy, now: Timestamp(microseconds: 1_000_000_000))
    }

    func pause(until instant: ContinuousClock.Instant) {
      state.withLock { state in
        state.pauses.append(instant - state.now)
        state.now = instant
      }
    }

    var policies: SigningPolicies {
      SigningPolicies(
        source: { _ async throws(Problem) in try self.read() }, clock: { self.now }, pause: { self.pause(until: $0) })
    }
  }

  static let place = SigningPolicies.Place.app(AppNumber(1))

  @Test("A policy serves for five seconds, with the database's time moved on; then it is read again")
  func age() async throws {
    let source = Source()
    let policies = source.policies
    #expect(policies.known(Self.place) == nil)
    #expect(try await policies.current(Self.place)?.now.microseconds == 1_000_000_000)
    source.advance(.milliseconds(2_500))
    #expect(try await policies.current(Self.place)?.now.microseconds == 1_002_500_000)
    #expect(source.reads == 1)
    source.advance(.milliseconds(2_500))
    #expect(policies.known(Self.place)?.now.microseconds == 1_005_000_000)
    source.advance(.nanoseconds(1))
    source.set(bucket: 90)
    #expect(policies.known(Self.place) == nil)
    #expect(try await policies.current(Self.place)?.policy.bucketSeconds == 90)
    #expect(source.reads == 2)
  }

  @Test("One that is half as old is used, and read again meanwhile")
  func refresh() async throws {
    let source = Source()
    let policies = source.policies
    _ = try await policies.current(Self.place)
    source.advance(.milliseconds(2_501))
    source.set(bucket: 90)
    #expect(try await policies.current(Self.place)?.policy.bucketSeconds == 60)
    while policies.known(Self.place)?.policy.bucketSeconds != 90 { await Task.yield() }
    #expect(source.reads == 2)
  }

  @Test("However many ask at once, the database is asked once")
  func singleFlight() async throws {
    let source = Source()
    let policies = source.policies
    try await withThrowingTaskGroup(of: Int64?.self) { group in
      for _ in 0..<100 { group.addTask { try await policies.current(Self.place)?.policy.bucketSeconds } }
      for try await bucket in group { #expect(bucket == 60) }
    }
    #expect(source.reads == 1)
  }

  @Test("SEC-H18: a refusal is checked with the database at once, and then once a second at most")
  func renewal() async throws {
    let source = Source()
    let policies = source.policies
    _ = try await policies.current(Self.place)
    source.advance(.seconds(1))
    source.set(bucket: 90)
    #expect(try await policies.renewed(Self.place)?.policy.bucketSeconds == 90)
    #expect(source.pauses.isEmpty)
    source.advance(.milliseconds(400))
    source.set(bucket: 120)
    #expect(try await policies.renewed(Self.place)?.policy.bucketSeconds == 120)
    #expect(source.pauses == [.milliseconds(600)])
    #expect(source.reads == 3)
  }

  @Test("What was read before a change of this node's own isn't used after it")
  func forgetting() async throws {
    let source = Source()
    let policies = source.policies
    _ = try await policies.current(Self.place)
    source.set(bucket: 90)
    source.advance(.milliseconds(1))
    policies.forget()
    #expect(policies.known(Self.place) == nil)
    #expect(try await policies.current(Self.place)?.policy.bucketSeconds == 90)
  }

  @Test("What doesn't exist isn't kept, and a failure leaves what was known")
  func nothing() async throws {
    let source = Source()
    let policies = source.policies
    source.set(bucket: 0)
    for _ in 0..<3 { #expect(try await policies.current(Self.place) == nil) }
    #expect(source.reads == 3)
    source.set(bucket: 60)
    _ = try await policies.current(Self.place)
    source.set(fails: true)
    source.advance(.seconds(1))
    await #expect(throws: Problem.self) { try await policies.renewed(Self.place) }
    #expect(policies.known(Self.place)?.policy.bucketSeconds == 60)
    source.advance(.seconds(6))
    await #expect(throws: Problem.self) { try await policies.current(Self.place) }
  }
}
