/// What we know of one accepted socket beside the library: which clock runs, and which request is under way.
///
/// The phase is written by the connection's server thread and by the watchdog; the exchange is also read by `stop`.
/// The socket belongs to the library: it may be used while the registry's lock is held and the connection is in it.
final class Connection: Sendable {
  let socket: Int32
  let remoteAddress: String
  private let state: Guarded<State>

  private struct State {
    var phase: Phase
    var exchange: Exchange?
    /// The client was seen to have ended its side while nothing was asked: the library may have missed that, because it
    /// waits for changes of a socket only. The second look in the same phase ends the connection.
    var isHalfClosed = false
  }

  enum Phase {
    /// Between requests. `bytes` is the socket's count when the phase was first seen by the watchdog: one more byte
    /// than that begins a head. The library doesn't tell us of a head before its first line is complete.
    case idle(since: Instant, bytes: UInt64?)
    case head(since: Instant)
    case body(since: Instant)
    /// A handler runs, or the response is being made; nobody waits for the client.
    case working
    case writing(until: Instant)
    /// A deadline passed: the socket is shut down and the library is to be told nothing but "close".
    case expired
  }

  init(socket: Int32, remoteAddress: String) {
    self.socket = socket
    self.remoteAddress = remoteAddress
    state = Guarded(State(phase: .idle(since: .now, bytes: 0), exchange: nil))
  }

  /// - Returns: false when a deadline was faster; the caller closes the connection.
  func enter(_ phase: Phase) -> Bool {
    state.withLock { state in
      if case .expired = state.phase { return false }
      state.phase = phase
      state.isHalfClosed = false
      return true
    }
  }

  var exchange: Exchange? {
    get { state.withLock { $0.exchange } }
    set { state.withLock { $0.exchange = newValue } }
  }

  /// Called by the watchdog with the registry's lock held. Marks the connection expired and names the deadline.
  func expire(at now: Instant, limits: ServerLimits) -> Deadline? {
    state.withLock { state in
      guard let deadline = look(&state, now) ?? Self.passed(state.phase, now, limits) else { return nil }
      state.phase = .expired
      return deadline
    }
  }

  private func look(_ state: inout State, _ now: Instant) -> Deadline? {
    switch state.phase {
    case .idle(let since, let known):
      let seen = SocketState(socket)
      if let known, seen.bytesReceived > known {
        state.phase = .head(since: now)
      } else {
        state.phase = .idle(since: since, bytes: known ?? seen.bytesReceived)
      }
      return isGone(&state, seen)
    case .head: return isGone(&state, SocketState(socket))
    case .body, .working, .writing, .expired: return nil
    }
  }

  private func isGone(_ state: inout State, _ seen: SocketState) -> Deadline? {
    defer { state.isHalfClosed = seen.isHalfClosed }
    return seen.isHalfClosed && state.isHalfClosed ? .idle : nil
  }

  private static func passed(_ phase: Phase, _ now: Instant, _ limits: ServerLimits) -> Deadline? {
    switch phase {
    case .idle(let since, _): now > since + limits.idleDeadline ? .idle : nil
    case .head(let since): now > since + limits.headDeadline ? .head : nil
    case .body(let since): now > since + limits.bodyDeadline ? .body : nil
    case .writing(let until): now > until ? .write : nil
    case .working, .expired: nil
    }
  }
}
