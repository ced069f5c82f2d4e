/// Counts that someone waits for, so that no test has to sleep. All given ones have to be reached.
struct WaitCondition: Sendable {
  var accepted: Int?
  var received: Int?
  var held: Int?
  var connectionsOpened: Int?
  var connectionsClosed: Int?
  var canceled: Int?
  /// Answers with a reason or a status that is none of success.
  var rejected: Int?

  func holds(in state: SimulatorState) -> Bool {
    let tally = state.tally
    let pairs: [(wanted: Int?, is: Int)] = [
      (accepted, state.ledger.accepted), (received, tally.received), (held, state.held),
      (connectionsOpened, tally.connectionsOpened), (connectionsClosed, tally.connectionsClosed),
      (canceled, tally.canceledByClient), (rejected, state.reasons.values.reduce(0, +)),
    ]
    return pairs.allSatisfy { $0.wanted == nil || $0.is >= $0.wanted ?? 0 }
  }
}
