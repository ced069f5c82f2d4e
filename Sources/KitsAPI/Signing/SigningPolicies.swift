internal import HTTPServer
internal import KitsCore

/// The signing policies that this node has read lately, so that not every request asks the database for one.
///
/// A policy serves for five seconds; older ones are read again before they are used, and half as old ones meanwhile.
/// One read of an app is under way at a time, whoever waits for it. What a request was refused by is read once more
/// before it counts (`renewed`), so a secret that was made or replaced just now refuses nobody.
final class SigningPolicies: Sendable {
  /// How an SDK request names its app.
  enum Place: Hashable, Sendable {
    case app(AppNumber)
    case publicKey(String)
  }

  /// A policy with the database's time, as well as it is known without asking.
  struct Reading: Sendable {
    let policy: SigningPolicy
    let now: Timestamp
  }

  /// What a read brings: the policy and the database's time at it.
  typealias Source = @Sendable (Place) async throws(Problem) -> Reading?

  private typealias Outcome = Result<Reading?, Problem>
  typealias Instant = ContinuousClock.Instant

  private struct Entry: Sendable {
    let reading: Reading
    /// When the read of it began: it holds whatever was committed by then.
    let begun: Instant
  }

  private struct Flight: Sendable {
    let begun: Instant
    let task: Task<Outcome, Never>
  }

  private struct State: Sendable {
    var entries: [Place: Entry] = [:]
    var flights: [Place: Flight] = [:]
    /// Refused requests that wait for the next read.
    var waiting: [Place: Int] = [:]
    /// Reads that began before are of no use any more.
    var floor: Instant
  }

  /// What is older isn't used. Said in docs/request-signing.md.
  static let longestAge: Duration = .seconds(5)
  /// What is older is read again while it is used.
  private static let freshAge: Duration = .milliseconds(2_500)
  /// Between two reads of one app that refused requests ask for: bad signatures are no lever on the database.
  static let renewalInterval: Duration = .seconds(1)
  /// More than that wait for no read: a flood of bad signatures must not hold up what other apps send.
  private static let mostWaiting = 64
  private static let mostEntries = 10_000

  private let source: Source
  private let clock: @Sendable () -> Instant
  private let pause: @Sendable (Instant) async -> Void
  private let state: Guarded<State>

  init(
    source: @escaping Source, clock: @escaping @Sendable () -> Instant = { .now },
    pause: @escaping @Sendable (Instant) async -> Void = { try? await Task.sleep(until: $0) }
  ) {
    self.source = source
    self.clock = clock
    self.pause = pause
    state = Guarded(State(floor: clock()))
  }

  /// Without waiting: nil when this node would have to ask.
  func known(_ place: Place) -> Reading? {
    let now = clock()
    return state.withLock { $0.entries[place] }.flatMap { age(of: $0, now) <= Self.longestAge ? at($0, now) : nil }
  }

  /// Nil when there is no such app.
  func current(_ place: Place) async throws(Problem) -> Reading? {
    let now = clock()
    let (entry, floor) = state.withLock { ($0.entries[place], $0.floor) }
    guard let entry, age(of: entry, now) <= Self.longestAge else {
      return try await read(place, begunFrom: max(floor, now - Self.longestAge))
    }
    if age(of: entry, now) > Self.freshAge { _ = flight(to: place) }
    return at(entry, now)
  }

  /// What the database says now, whatever was read before this call.
  func renewed(_ place: Place) async throws(Problem) -> Reading? {
    let since = clock()
    guard startWaiting(place) else { return known(place) }
    defer { stopWaiting(place) }
    while !Task.isCancelled {
      let last = state.withLock { $0.flights[place]?.begun ?? $0.entries[place]?.begun }
      guard let last, last < since, last + Self.renewalInterval > clock() else { break }
      await pause(last + Self.renewalInterval)
    }
    return try await read(place, begunFrom: since)
  }

  /// After a change by this node: nothing that was read before it is used again.
  func forget() {
    let now = clock()
    state.withLock { state in
      state.entries = [:]
      state.floor = now
    }
  }

  private func startWaiting(_ place: Place) -> Bool {
    state.withLock { state in
      guard state.waiting[place, default: 0] < Self.mostWaiting else { return false }
      state.waiting[place, default: 0] += 1
      return true
    }
  }

  private func stopWaiting(_ place: Place) {
    state.withLock { state in
      let rest = state.waiting[place, default: 1] - 1
      state.waiting[place] = rest > 0 ? rest : nil
    }
  }

  private func age(of entry: Entry, _ now: Instant) -> Duration { now - entry.begun }

  private func at(_ entry: Entry, _ now: Instant) -> Reading {
    let (seconds, attoseconds) = (now - entry.begun).components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    return Reading(
      policy: entry.reading.policy, now: Timestamp(microseconds: entry.reading.now.microseconds + microseconds))
  }

  /// The result of a read that began at `earliest` or later; joins one that is under way.
  private func read(_ place: Place, begunFrom earliest: Instant) async throws(Problem) -> Reading? {
    while true {
      let entry = state.withLock { $0.entries[place] }
      if let entry, entry.begun >= earliest { return at(entry, clock()) }
      let flight = flight(to: place)
      let outcome = await flight.task.value
      if flight.begun >= earliest { return try outcome.get() }
    }
  }

  /// The read that is under way, or a new one: reads of one app never overlap.
  private func flight(to place: Place) -> Flight {
    let now = clock()
    return state.withLock { state in
      if let flight = state.flights[place] { return flight }
      let task = Task { [self] in
        let outcome: Outcome
        do throws(Problem) { outcome = .success(try await source(place)) } catch { outcome = .failure(error) }
        land(place, outcome, begun: now)
        return outcome
      }
      let flight = Flight(begun: now, task: task)
      state.flights[place] = flight
      return flight
    }
  }

  private func land(_ place: Place, _ outcome: Outcome, begun: Instant) {
    let now = clock()
    state.withLock { state in
      state.flights[place] = nil
      guard begun >= state.floor, case .success(let found) = outcome else { return }
      guard let reading = found else {
        state.entries[place] = nil
        return
      }
      if state.entries.count >= Self.mostEntries, state.entries[place] == nil {
        state.entries = state.entries.filter { now - $0.value.begun <= Self.longestAge }
      }
      // When even the fresh ones fill it, this one is read each time.
      guard state.entries.count < Self.mostEntries || state.entries[place] != nil else { return }
      state.entries[place] = Entry(reading: reading, begun: begun)
    }
  }
}
