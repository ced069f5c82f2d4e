package import KitsCore
package import Postgres

/// What reports are made of: devices per day, messages per hour.
package struct ReportStore: Sendable {
  private let pool: ConnectionPool

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  package func uninstalls(
    app: AppNumber, days: ClosedRange<Day>, grouping: UninstallReport.Grouping, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> UninstallReport {
    let rows = try await pool.run(ReportUninstalls(app: app, days: days, grouping: grouping), deadline: deadline)
    var found: [UninstallReport.DayCounts] = []
    for row in rows {
      if found.last?.day != row.day { found.append(UninstallReport.DayCounts(day: row.day)) }
      guard let group = row.group else { continue }
      let last = found.endIndex - 1
      found[last].counts = found[last].counts + group.counts
      if let name = grouping.group(group.key, isRest: group.isRest) {
        found[last].groups.append((group: name, counts: group.counts))
      }
    }
    return UninstallReport(grouping: grouping, days: found)
  }

  package func messages(
    app: AppNumber, days: ClosedRange<Day>, interval: MessageReport.Interval, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> MessageReport {
    let rows = try await pool.run(ReportMessages(app: app, days: days, interval: interval), deadline: deadline)
    return MessageReport(interval: interval, asOf: rows.first?.asOf, steps: rows.map(\.step))
  }
}

extension UninstallReport.Grouping {
  /// Nil when nothing was to be divided.
  fileprivate func group(_ key: String?, isRest: Bool) -> UninstallReport.Group? {
    switch self {
    case .none: nil
    case _ where isRest: .rest
    case .platform: key.flatMap { Int16($0) }.flatMap(Platform.init(rawValue:)).map { .platform($0) }
    case .version: .version(key == "" ? nil : key)
    }
  }
}
