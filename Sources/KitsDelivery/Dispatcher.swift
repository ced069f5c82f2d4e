import APNs
import KitsCore
import KitsStore

/// Works through chunks: claim, send a window, write what came of it, until the chunk is done. One call per lane at a
/// time.
struct Dispatcher: Sendable {
  let store: DeliveryStore
  let sender: Sender
  let settlement: Settlement
  let configuration: DeliveryConfiguration
  let observe: @Sendable (DeliveryEvent) -> Void
  let isStopping: @Sendable () -> Bool

  /// False when there was no chunk to take.
  func workOnChunk(of message: DispatchableMessage) async throws -> Bool {
    let open = OpenMessage(app: message.app, message: message.number)
    var deadline = handOverDeadline()
    guard var window = try await store.claimChunk(of: open, window: configuration.window) else { return false }
    while true {
      let ack: WindowAck
      do {
        ack = try await deliver(window, of: message, before: deadline)
      } catch {
        // Nothing of the window was handed over: the chunk goes back whole.
        try await store.release(window)
        throw error
      }
      deadline = handOverDeadline()
      switch try await commit(ack) {
      case .next(let next):
        window = next
      case .idle:
        try await store.release(window)
        return true
      case .chunkDone:
        if try await store.finish(open) { observe(.completed(message: message.number)) }
        return true
      case .stopped:
        return true
      case .leaseLost:
        observe(.leaseLost(message: message.number, chunk: window.lease.chunk))
        return true
      }
    }
  }

  /// Taken before the claim is sent, on a clock that also runs while the machine sleeps.
  private func handOverDeadline() -> BootInstant {
    BootInstant.now.advanced(by: configuration.handOverTime)
  }

  private func deliver(
    _ window: ChunkWindow, of message: DispatchableMessage, before deadline: BootInstant
  ) async throws -> WindowAck {
    let plan = WindowPlan(window, of: message)
    let began = BootInstant.now
    let results = try await sender.send(plan.sends.map { ($0, message) }, before: deadline)
    if !plan.sends.isEmpty {
      observe(.windowSent(count: plan.sends.count, seconds: began.secondsUntilNow))
    }
    let kept = await settlement.breaker.judge(plan.sends, results, of: message.app, key: message.key)
    return await settlement.settle(
      plan, results, of: message, kept: kept, nextWindow: isStopping() ? 0 : configuration.window)
  }

  /// Results stay in memory until they are written: the send is never repeated because its ack failed.
  private func commit(_ ack: WindowAck) async throws -> WindowAck.Answer {
    var pause = Duration.milliseconds(50)
    while true {
      do {
        let answer = try await store.ack(ack)
        guard answer == .leaseLost, let place = try await store.ackedTo(ack.lease) else { return answer }
        // Ours still, and moved on: an earlier try was written although its answer was lost. Its next window was
        // declared but never seen, so the chunk goes back and is claimed again with that window as unsent.
        if place == ack.from + Int32(ack.outcomes.count) { return .idle }
        return .leaseLost
      } catch {
        observe(.troubled(activity: "ack", problem: String(describing: error)))
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(2))
      }
    }
  }
}

extension RetryPolicy {
  func delayMilliseconds(after attempts: Int32, cause: Cause) -> Int64 {
    Int64(delaySeconds(after: attempts, cause: cause, jitter: Double.random(in: 0..<1)) * 1_000)
  }
}

extension BootInstant {
  var secondsUntilNow: Double { Double(BootInstant.now.nanoseconds &- nanoseconds) / 1_000_000_000 }
}
