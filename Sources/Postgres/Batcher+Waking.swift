/// One sleeping task per batcher, and only while something waits: it ends pauses and enforces deadlines of queued
/// requests.
extension Batcher {
  /// A second sleeper with an earlier time simply replaces the first, which finds that it isn't needed when it
  /// wakes.
  func needsSleeper(_ queue: inout BatchQueue<Request, Answer>, _ time: Instant) -> Bool {
    if let wakeAt = queue.wakeAt, wakeAt <= time { return false }
    queue.wakeAt = time
    return true
  }

  func sleepIfNeeded() {
    let time = queue { queue -> Instant? in
      guard let next = queue.nextWake, needsSleeper(&queue, next) else { return nil }
      return next
    }
    if let time { Task { await sleep(until: time) } }
  }

  func sleep(until time: Instant) async {
    var time = time
    while true {
      // Nobody cancels this task.
      try? await Task.sleep(until: time, clock: .continuous)
      let (expired, starts, next) = queue { queue -> ([Item], Bool, Instant?) in
        guard queue.wakeAt == time else { return ([], false, nil) }
        let expired = queue.wake(now: .now)
        queue.wakeAt = queue.nextWake
        return (expired, queue.startLane(), queue.wakeAt)
      }
      for item in expired { item.resume(.failure(.deadline)) }
      if starts { Task { await runLane() } }
      guard let next else { return }
      time = next
    }
  }
}
