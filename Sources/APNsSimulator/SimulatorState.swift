/// Everything that workers and the admin port share. One value behind one lock, in `Simulator`.
struct SimulatorState: Sendable {
  let ledgerLimits: Ledger.Limits
  let baseValidation: ValidationRules
  var ledger: Ledger
  var keys = KeyRing()
  var laboratory: Laboratory
  var tally = Tally()
  /// Rejections by reason, scripted ones included.
  var reasons: [String: Int] = [:]
  /// Answers by status.
  var statuses: [Int: Int] = [:]
  var nextConnection = 1
  /// Distinct provider tokens that were good, and the most that one connection has shown.
  private(set) var providerTokens = Set<Int>()
  private(set) var mostTokensOnConnection = 0

  /// While true, requests are judged and recorded as always but their answers are kept back.
  var isHolding = false
  /// Answers that still go out although holding is on: "the first hundred, then nothing".
  var answersBeforeHold = 0
  /// Answers kept back at the moment.
  var held = 0

  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 1

  init(ledgerLimits: Ledger.Limits, validation: ValidationRules) {
    self.ledgerLimits = ledgerLimits
    baseValidation = validation
    ledger = Ledger(limits: ledgerLimits)
    laboratory = Laboratory(validation: validation)
  }

  /// Forgets what was taken and counted. Keys, scripts and open connections stay.
  mutating func reset() {
    ledger = Ledger(limits: ledgerLimits)
    let open = tally.connectionsOpened - tally.connectionsClosed
    tally = Tally()
    tally.connectionsOpened = open
    reasons = [:]
    statuses = [:]
    providerTokens = []
    mostTokensOnConnection = 0
  }

  mutating func tokenTaken(_ token: Int, ofConnection number: Int) {
    providerTokens.insert(token)
    mostTokensOnConnection = max(mostTokensOnConnection, number)
  }

  mutating func count(_ answer: Answer) {
    statuses[answer.status, default: 0] += 1
    if answer.status != 200 { reasons[answer.reason ?? "", default: 0] += 1 }
  }

  /// The number under which the waiter can be given up.
  mutating func add(_ waiter: Waiter) -> Int {
    defer { nextWaiter += 1 }
    waiters[nextWaiter] = waiter
    return nextWaiter
  }

  mutating func takeWaiter(_ number: Int) -> Waiter? {
    waiters.removeValue(forKey: number)
  }

  /// Removes and returns the waiters whose condition has come true.
  mutating func takeSatisfiedWaiters() -> [Waiter] {
    guard !waiters.isEmpty else { return [] }
    let satisfied = waiters.filter { $0.value.condition.holds(in: self) }
    for number in satisfied.keys { waiters[number] = nil }
    return Array(satisfied.values)
  }
}
