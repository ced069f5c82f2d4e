internal import JSON

/// What `kits message watch` reads from an answer of the API.
struct MessageProgress: Sendable, Equatable {
  static let classes = ["accepted", "failed", "suppressed", "expired", "canceled", "unknown"]

  let state: String
  /// All recipients are known.
  let isPlanned: Bool
  let targeted: Int
  let pending: Int
  /// By class, in the order of `classes`.
  let counts: [(name: String, count: Int)]
  let reasons: [(outcomeClass: String, reason: String, count: Int)]

  /// Nil when the answer is no message with a ledger.
  init?(_ message: JSONObject) {
    guard let state = message["state"]?.string, let ledger = message["ledger"]?.object,
      let targeted = ledger["targeted"]?.integer, let pending = ledger["pending"]?.integer
    else { return nil }
    self.state = state
    self.targeted = Int(targeted)
    self.pending = Int(pending)
    isPlanned = message["planned"]?.bool ?? true
    counts = Self.classes.map { (name: $0, count: Int(ledger[$0]?.integer ?? 0)) }
    reasons = (message["reasons"]?.array ?? []).compactMap(\.object).map { entry in
      (
        outcomeClass: entry["class"]?.string ?? "", reason: entry["reason"]?.string ?? "",
        count: Int(entry["count"]?.integer ?? 0)
      )
    }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.state == right.state && left.isPlanned == right.isPlanned && left.targeted == right.targeted
      && left.pending == right.pending && left.counts.map(\.count) == right.counts.map(\.count)
  }

  /// Nothing will change any more. A canceled message still has recipients that are pending for a moment.
  var isOver: Bool { ["completed", "canceled", "refused"].contains(state) && pending == 0 }

  var bar: ProgressBar {
    ProgressBar(done: targeted - pending, total: isPlanned ? targeted : nil, note: state)
  }

  /// The ledger for people: zeros are left out, except of what everybody looks for.
  var report: Report {
    var fields: [(String, Report.Value)] = [("state", .string(state)), ("targeted", .integer(targeted))]
    if pending > 0 { fields.append(("pending", .integer(pending))) }
    for entry in counts where entry.count > 0 || entry.name == "accepted" || entry.name == "failed" {
      fields.append((entry.name, .integer(entry.count)))
    }
    if !reasons.isEmpty {
      let rows = reasons.map { [Report.Value.string($0.outcomeClass), .string($0.reason), .integer($0.count)] }
      fields.append(("reasons", .table(columns: ["class", "reason", "count"], rows: rows)))
    }
    return Report(fields)
  }
}
