import JSON

/// The numbers of `GET /stats`, copied under the lock and written outside of it.
struct StatsReport: Sendable {
  private let tally: Tally
  private let reasons: [String: Int]
  private let statuses: [Int: Int]
  private let held: Int
  private let isHolding: Bool
  /// Counts that come from the ledger, under their names in the report.
  private let ledger: [(name: String, value: Int)]
  private let countsAreExact: Bool

  init(_ state: SimulatorState) {
    tally = state.tally
    reasons = state.reasons
    statuses = state.statuses
    held = state.held
    isHolding = state.isHolding
    ledger = [
      ("accepted", state.ledger.accepted), ("duplicate_apns_ids", state.ledger.duplicateMessageIDs),
      ("replaced", state.ledger.replaced), ("distinct_apns_ids", state.ledger.distinctMessageIDs),
      ("distinct_tokens", state.ledger.distinctTokens), ("remembered", state.ledger.remembered),
      ("provider_tokens", state.providerTokens.count), ("provider_tokens_on_connection", state.mostTokensOnConnection),
    ]
    countsAreExact = state.ledger.countsAreExact
  }

  static func write(_ report: StatsReport) -> [UInt8] {
    let tally = report.tally
    let counts: [(name: String, value: Int)] =
      report.ledger + [
        ("received", tally.received), ("answered", tally.answered), ("held", report.held),
        ("canceled_by_client", tally.canceledByClient), ("streams_opened", tally.streamsOpened),
        ("max_concurrent_streams", tally.maxStreamsOnConnection), ("resets_received", tally.resetsReceived),
        ("connections_opened", tally.connectionsOpened), ("connections_closed", tally.connectionsClosed),
        ("goaways_sent", tally.goawaysSent), ("protocol_errors", tally.protocolErrors),
      ]
    var writer = JSONWriter()
    writer.beginObject()
    for (name, value) in counts { writer.member(name, value) }
    writer.member("duplicates_exact", report.countsAreExact)
    writer.member("holding", report.isHolding)
    writer.key("reasons")
    writer.beginObject()
    for (reason, count) in report.reasons.sorted(by: { $0.key < $1.key }) { writer.member(reason, count) }
    writer.endObject()
    writer.key("statuses")
    writer.beginObject()
    for (status, count) in report.statuses.sorted(by: { $0.key < $1.key }) { writer.member(String(status), count) }
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }
}
