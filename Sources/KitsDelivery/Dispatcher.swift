import APNs
import KitsCore
import KitsStore

/// Works through chunks: claim, send windows, write what came of them, until the chunk is done. One call per lane at a
/// time.
///
/// While one window is written another is under way, so that the network never waits for a commit. Each is declared
/// before it is handed over, and they are written in their order.
struct Dispatcher: Sendable {
  let store: DeliveryStore
  let sender: Sender
  let settlement: Settlement
  let marker: DeliveryMarker
  let configuration: DeliveryConfiguration
  let observe: @Sendable (DeliveryEvent) -> Void
  let isStopping: @Sendable () -> Bool

  /// False when there was no chunk to take.
  func workOnChunk(of message: DispatchableMessage) async throws -> Bool {
    let open = OpenMessage(app: message.app, message: message.number)
    let deadline = handOverDeadline()
    guard let claimed = try await store.claimChunk(of: open, window: configuration.declaredPerLane) else {
      return false
    }
    var flights = ChunkFlights()
    launch(claimed, of: message, before: deadline, in: &flights)
    var answer = WindowAck.Answer.idle
    while let flight = flights.takeOldest() {
      let results: [SendOutcome]
      do {
        results = try await flight.sending.value
      } catch {
        try await giveBack(claimed, flight, &flights, of: message)
        throw error
      }
      let deadline = handOverDeadline()
      answer = try await write(
        flight.plan, results, of: message, declaredTo: flights.declaredTo,
        nextWindow: isStopping() ? 0 : configuration.declaredPerLane)
      if case .next(let next) = answer { launch(next, of: message, before: deadline, in: &flights) }
      if answer == .leaseLost { break }
    }
    switch answer {
    // Everything declared was answered and nothing more is wanted.
    case .idle, .next: try await store.release(claimed)
    case .chunkDone: if try await store.finish(open) { observe(.completed(message: message.number)) }
    case .stopped: break
    case .leaseLost:
      observe(.leaseLost(message: message.number, chunk: claimed.lease.chunk))
      // What is under way can't be written any more; the lane ends with it, so that it never has more than its share.
      await flights.end()
    }
    return true
  }

  /// Taken before the claim is sent, on a clock that also runs while the machine sleeps.
  private func handOverDeadline() -> BootInstant {
    BootInstant.now.advanced(by: configuration.handOverTime)
  }

  private func launch(
    _ declared: ChunkWindow, of message: DispatchableMessage, before deadline: BootInstant,
    in flights: inout ChunkFlights
  ) {
    for window in declared.split(by: configuration.window) {
      let plan = WindowPlan(window, of: message, marking: marker)
      let (sender, observe) = (sender, observe)
      let sending = Task {
        let began = BootInstant.now
        let results = try await sender.send(plan.sends, of: message, before: deadline)
        if !plan.sends.isEmpty {
          observe(.windowSent(count: plan.sends.count, seconds: began.secondsUntilNow))
        }
        return results
      }
      flights.add(ChunkFlight(plan: plan, sending: sending))
    }
  }

  /// A window was not handed over at all: it goes back with the chunk. When a later one was handed over, what it left
  /// behind waits for another attempt like everything that wasn't sent.
  private func giveBack(
    _ claimed: ChunkWindow, _ unsent: ChunkFlight, _ flights: inout ChunkFlights, of message: DispatchableMessage
  ) async throws {
    var ended: [(plan: WindowPlan, results: [SendOutcome]?)] = [(unsent.plan, nil)]
    while let flight = flights.takeOldest() { ended.append((flight.plan, try? await flight.sending.value)) }
    while let last = ended.last, last.results == nil { ended.removeLast() }
    for (plan, results) in ended {
      let results = results ?? Array(repeating: .notSent(.stopped), count: plan.sends.count)
      let answer = try await write(plan, results, of: message, declaredTo: flights.declaredTo, nextWindow: 0)
      if answer == .leaseLost || answer == .chunkDone { return }
    }
    try await store.release(claimed)
  }

  private func write(
    _ plan: WindowPlan, _ results: [SendOutcome], of message: DispatchableMessage, declaredTo: Int32, nextWindow: Int32
  ) async throws -> WindowAck.Answer {
    let kept = await settlement.breaker.judge(plan.sends, results, of: message.app, key: message.key)
    let ack = await settlement.settle(
      plan, results, of: message, kept: kept, declaredTo: declaredTo, nextWindow: nextWindow)
    return try await commit(ack)
  }

  /// Results stay in memory until they are written: the send is never repeated because its ack failed.
  private func commit(_ ack: WindowAck) async throws -> WindowAck.Answer {
    var pause = Duration.milliseconds(50)
    while true {
      do {
        let answer = try await store.ack(ack)
        guard answer == .leaseLost, let place = try await store.ackedTo(ack.lease) else { return answer }
        // Ours still, and moved on: an earlier try was written although its answer was lost. What it declared was never
        // seen: the next ack learns of it, or the chunk goes back and is claimed again with that as unsent.
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
