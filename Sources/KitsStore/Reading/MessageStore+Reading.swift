package import KitsCore
package import Postgres

/// What became of messages: as a whole, by hour, and delivery by delivery.
extension MessageStore {
  package func engagement(
    app: AppNumber, message: MessageID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Engagement? {
    try await pool.first(ReadEngagement(app: app, message: message), deadline: deadline)
  }

  /// Nil when the environment has no such message.
  package func timeline(
    environment: EnvironmentNumber, id: MessageID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Timeline? {
    let rows = try await pool.run(ReadTimeline(environment: environment, id: id), deadline: deadline)
    return rows.first.map { first in
      Timeline(
        tracking: first.tracking, counted: rows.compactMap(\.hour), startedAt: first.startedAt, readAt: first.readAt)
    }
  }

  package func readable(
    environment: EnvironmentNumber, id: MessageID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> ReadableMessage? {
    try await pool.first(FindReadableMessage(environment: environment, id: id), deadline: deadline)
  }

  package func deliveries(
    of message: ReadableMessage, _ selection: DeliverySelection, after: DeliveryPosition, limit: Int32,
    deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> DeliveryPage {
    // One more than the page tells whether there is more.
    let statement = ListDeliveries(
      app: message.app, message: message.number, selection: selection, after: after,
      scan: DeliveryScan(selection, from: after, limit: limit), limit: limit + 1)
    let rows = try await pool.run(statement, deadline: deadline)
    let deliveries = rows.compactMap(\.delivery)
    if deliveries.count > Int(limit) {
      let page = Array(deliveries.prefix(Int(limit)))
      return DeliveryPage(deliveries: page, next: page.last?.position)
    }
    let next = rows.first?.next.map { DeliveryPosition(chunk: $0, index: DeliveryPosition.start.index) }
    return DeliveryPage(deliveries: deliveries, next: next)
  }

  /// Nil when the installation was no member of the message.
  package func delivery(
    of message: ReadableMessage, to installation: InstallationNumber, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> DeliveryDetail? {
    try await pool.first(
      FindDelivery(app: message.app, message: message.number, installation: installation), deadline: deadline)
  }

  /// Why an installation may not have become a member of a message: what the message asked for, compared with the
  /// installation as it is now.
  package func targeting(
    of message: ReadableMessage, _ installation: Installation, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> (facts: TargetFacts, checks: [TargetCheck])? {
    let read = ReadTargetFacts(app: message.app, message: message.id, installation: installation.number)
    guard let facts = try await pool.first(read, deadline: deadline) else { return nil }
    let answers = try await answers(facts.audience, of: installation, deadline)
    return (facts: facts, checks: facts.checks(of: installation, answers: answers))
  }

  package func history(
    of installation: Installation, limit: Int32, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> InstallationHistory {
    let statement = ListInstallationDeliveries(
      app: installation.appNumber, installation: installation.number, limit: limit + 1)
    let rows = try await pool.run(statement, deadline: deadline)
    let entries = rows.compactMap(\.entry)
    let page = entries.prefix(Int(limit))
    let cut = entries.count > page.count ? page.last?.number : nil
    let since = [cut, rows.first?.since].compactMap { $0 }.max()
    return InstallationHistory(
      deliveries: page.map(\.1), completeSince: since.map { MessageNumber($0).startedAt },
      largerMessages: rows.first?.larger ?? 0)
  }

  private func answers(
    _ audience: (filter: Filter, fixedAt: Timestamp?)?, of installation: Installation,
    _ deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [Bool] {
    guard let audience, !audience.filter.conditions.isEmpty else { return [] }
    let clauses = ClauseSQL(audience.filter, now: audience.fixedAt)
    let statement = DynamicStatement<[Bool]>(
      name: "EvaluateClauses", sql: clauses.sql,
      parameters: clauses.parameters(app: installation.appNumber, installation: installation.number)
    ) { (row) throws(PostgresError) in try row.boolArray() }
    return try await pool.run(statement, deadline: deadline).first ?? []
  }
}

extension MessageNumber {
  /// The moment it was given at.
  fileprivate var startedAt: Timestamp { Timestamp(microseconds: (value >> 22) * 1_000) }
}
