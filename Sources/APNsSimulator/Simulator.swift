import Synchronization

/// The fake service: what all connections have in common. Workers ask it about requests; the admin port reads it and
/// scripts it.
final class Simulator: Sendable {
  let isFast: Bool
  /// One per worker.
  let mailboxes: [Mailbox]
  /// Written by workers (judged requests, tallies) and by admin handlers; read by both.
  private let state: Mutex<SimulatorState>

  init(isFast: Bool, state: SimulatorState, mailboxes: [Mailbox]) {
    self.isFast = isFast
    self.mailboxes = mailboxes
    self.state = Mutex(state)
  }

  /// Reads or changes the shared state, then wakes whoever waited for what has come true.
  func update<Value: Sendable>(_ body: (inout SimulatorState) -> Value) -> Value {
    let (value, satisfied) = state.withLock { state in
      let value = body(&state)
      return (value, state.takeSatisfiedWaiters())
    }
    for waiter in satisfied { waiter.continuation.resume(returning: true) }
    return value
  }

  /// False when the deadline came first.
  func wait(for condition: WaitCondition, timeout: Duration) async -> Bool {
    await withCheckedContinuation { continuation in
      let number = update { $0.add(Waiter(condition: condition, continuation: continuation)) }
      Task {
        try? await Task.sleep(for: timeout)
        update { $0.takeWaiter(number) }?.continuation.resume(returning: false)
      }
    }
  }

  /// Lets all kept-back answers go and keeps no more back.
  func release() {
    update {
      $0.isHolding = false
      $0.answersBeforeHold = 0
    }
    for mailbox in mailboxes { mailbox.put(.release) }
  }
}
