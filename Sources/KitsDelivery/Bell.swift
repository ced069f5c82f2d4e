/// Wakes a loop early. Ringing while nobody waits is remembered once.
actor Bell {
  private var isRung = false
  private var isSilenced = false
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var nextID: UInt64 = 0

  func ring() {
    if waiters.isEmpty {
      isRung = true
    } else {
      wakeAll()
    }
  }

  /// From now on nobody waits any more.
  func silence() {
    isSilenced = true
    wakeAll()
  }

  /// Returns when rung, at the latest after `timeout`.
  func wait(upTo timeout: Duration) async {
    if isRung || isSilenced {
      isRung = false
      return
    }
    let id = nextID
    nextID &+= 1
    let alarm = Task { [weak self] in
      // A cancelled sleep only means that the bell rang first.
      try? await Task.sleep(for: timeout)
      await self?.wake(id)
    }
    await withCheckedContinuation { waiters[id] = $0 }
    alarm.cancel()
  }

  private func wake(_ id: UInt64) {
    waiters.removeValue(forKey: id)?.resume()
  }

  private func wakeAll() {
    let all = waiters.values
    waiters = [:]
    for waiter in all { waiter.resume() }
  }
}
