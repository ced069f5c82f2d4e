internal import JSON
internal import KitsCore

/// How a ledger and its reasons are answered.
enum LedgerJSON {
  static func write(_ ledger: Ledger, to json: inout JSONWriter) {
    json.key("ledger")
    json.beginObject()
    json.member("targeted", ledger.targeted)
    json.member("pending", ledger.pending)
    json.member("accepted", ledger.accepted)
    json.member("failed", ledger.failed)
    json.member("suppressed", ledger.suppressed)
    json.member("expired", ledger.expired)
    json.member("canceled", ledger.canceled)
    json.member("unknown", ledger.unknown)
    json.endObject()
  }

  /// Why recipients were not reached: what is pending or accepted has no reason.
  static func write(_ reasons: [Ledger.ReasonCount], to json: inout JSONWriter) {
    json.key("reasons")
    json.beginArray()
    for reason in sorted(reasons) {
      json.beginObject()
      json.member("class", reason.outcomeClass.name)
      json.member("reason", reason.reason)
      json.member("count", reason.count)
      json.endObject()
    }
    json.endArray()
  }

  /// The largest first, then by name, by bytes.
  private static func sorted(_ reasons: [Ledger.ReasonCount]) -> [Ledger.ReasonCount] {
    reasons
      .filter { $0.outcomeClass != .pending && $0.outcomeClass != .accepted }
      .sorted { left, right in
        if left.count != right.count { return left.count > right.count }
        if left.reason == right.reason { return left.outcomeClass.rawValue < right.outcomeClass.rawValue }
        return left.reason.utf8.lexicographicallyPrecedes(right.reason.utf8)
      }
  }
}
