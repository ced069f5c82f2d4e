@testable import HTTPServer

/// Holds handlers until it is opened, and tells how many are held.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var entered = 0
  }

  private let state = Guarded(State())

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        state.entered += 1
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      state.signal()
      if isOpen { continuation.resume() }
    }
  }

  /// Blocks until that many handlers came in.
  func waitForEntered(_ count: Int) -> Bool {
    state.wait(until: .now + .seconds(20)) { $0.entered >= count }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
