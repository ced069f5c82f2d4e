/// One line of a fault script: which requests it is for, and what happens to them.
struct FaultRule: Sendable {
  /// Device tokens this rule is for; `nil`: all.
  var token: TokenMatch?
  /// Fires for this share of the matching requests, evenly spread: 0.25 is every fourth.
  var share: Double
  /// Lets this many matching requests pass first.
  var after: Int
  /// How often it may fire; `nil`: for ever.
  var times: Int?
  /// Fires at this request of each connection, counted from 1, and at no other.
  var connectionRequest: Int?

  var fault: Fault
  var latencyMilliseconds = 0
  /// Whether the notification counts as taken. `nil`: exactly when the answer is 200.
  var accept: Bool?

  /// Matching requests so far, and how often it fired. Written under the simulator's lock.
  private(set) var matched = 0
  private(set) var fired = 0
  /// Collects `share` per match; the rule fires when it reaches 1.
  private var credit = 0.0

  init(
    token: TokenMatch? = nil, share: Double = 1, after: Int = 0, times: Int? = nil, connectionRequest: Int? = nil,
    fault: Fault = .none
  ) {
    self.token = token
    self.share = share
    self.after = after
    self.times = times
    self.connectionRequest = connectionRequest
    self.fault = fault
  }

  enum TokenMatch: Sendable, Equatable {
    case exact(String)
    case prefix(String)
  }

  /// Counts the request, and says whether the rule applies to it.
  mutating func fires(token deviceToken: String, connectionRequest number: Int) -> Bool {
    switch token {
    case .exact(let wanted): guard deviceToken == wanted else { return false }
    case .prefix(let wanted): guard deviceToken.hasPrefix(wanted) else { return false }
    case nil: break
    }
    if let connectionRequest, connectionRequest != number { return false }
    if let times, fired >= times { return false }
    matched += 1
    guard matched > after else { return false }
    credit += share
    // The sum of many shares falls a little short of a whole number.
    guard credit >= 1 - 1e-9 else { return false }
    credit -= 1
    fired += 1
    return true
  }
}
