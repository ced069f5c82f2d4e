internal import KitsCore
internal import KitsStore
internal import Postgres

/// The work in the database: is somebody doing it?
struct WorkChecks: Sendable {
  let health: HealthStore
  let retentionDays: Int
  let now: KitsCore.Timestamp
  /// Longer than a message is usually open, unless its retries wait for APNs.
  static let oldMessageHours: Int64 = 24

  func examine() async -> [Finding] {
    var findings: [Finding] = []
    findings += await check("work.partitions") { () throws(PostgresError) in
      Self.judge(missingDays: try await health.missingDays())
    }
    findings += await check("work.retention") { () throws(PostgresError) in
      Self.judge(oldestDayEnded: try await health.endOfOldestDay(), retentionDays: retentionDays, now: now)
    }
    findings += await check("work.leases") { () throws(PostgresError) in
      try await health.work().map(Self.judge) ?? []
    }
    findings += await check("work.backlog") { () throws(PostgresError) in
      try await health.backlog(deadline: .now + .seconds(10)).map { [Self.judge($0)] } ?? []
    }
    findings += await check("work.ledger") { () throws(PostgresError) in
      [Self.judge(mismatches: try await health.ledgerMismatches(deadline: .now + .seconds(10)))]
    }
    return findings
  }

  private func check(
    _ name: String, _ body: () async throws(PostgresError) -> [Finding]
  ) async -> [Finding] {
    do throws(PostgresError) { return try await body() } catch { return [.unread(name, error)] }
  }

  static func judge(missingDays days: [Int32]) -> [Finding] {
    let check = "work.partitions"
    guard let first = days.first else { return [.fine(check, "the partitions of the next seven days are there")] }
    let todo = "Start a node with the delivery half (`kits serve`): it makes them at once; look at its log."
    if first <= 1 {
      return [
        .problem(
          check, "the partition of \(first == 0 ? "today" : "tomorrow") is missing",
          why: "Messages can't be planned without it.", todo: todo)
      ]
    }
    return [
      .warning(
        check, "partitions are missing from \(first) days ahead on",
        why: "Messages can't be planned from that day on.", todo: todo)
    ]
  }

  static func judge(
    oldestDayEnded: KitsCore.Timestamp?, retentionDays: Int, now: KitsCore.Timestamp
  ) -> [Finding] {
    let check = "work.retention"
    let days = oldestDayEnded.map { (now.seconds - $0.seconds) / 86_400 } ?? 0
    // One day more, since a day is looked at once an hour and may wait for a backup.
    if days <= Int64(retentionDays) + 1 { return [.fine(check, "no deliveries are older than they should be")] }
    return [
      .warning(
        check, "deliveries of \(days) days ago are still there, KITS_RETENTION_DAYS is \(retentionDays)",
        why: "The database grows.",
        todo: "Look for `day_kept` in the log of the nodes: it names what is still open in that day.")
    ]
  }

  static func judge(_ work: WorkDiagnosis) -> [Finding] {
    let check = "work.leases"
    let start = "Start a node with the delivery half (`kits serve`), or look at the log of those that run."
    var findings: [Finding] = []
    if work.endless + work.retriesEndless > 0 {
      findings.append(
        .problem(
          check, "\(work.endless) chunks and \(work.retriesEndless) retries have a lease that ends far in the future",
          why: "The database's clock was set back, and nobody takes them over until then.",
          todo: "Stop all nodes and end the leases as docs/operations.md says (kits doctor)."))
    }
    if work.overdue > 0 {
      findings.append(
        .problem(
          check, "\(work.overdue) chunks have a lease that ended \(work.overdueSeconds) s ago",
          why: "Their node is gone and no other takes them over: these pushes wait.", todo: start))
    } else if work.waiting > 0 && work.held == 0 {
      findings.append(
        .problem(
          check, "\(work.waiting) chunks are due and nobody works on any", why: "These pushes wait.", todo: start))
    }
    if work.unplanned > 0 {
      findings.append(
        .problem(
          check, "nobody plans \(work.unplanned) messages that are due", why: "Nothing of them is sent.", todo: start))
    }
    if work.retriesOverdue > 0 {
      findings.append(
        .warning(
          check, "\(work.retriesOverdue) retries are over five minutes late",
          why: "They are sent after everything that is new, if at all.", todo: start))
    }
    return findings.isEmpty ? [.fine(check, "everything that is due is being worked on")] : findings
  }

  static func judge(_ backlog: Backlog) -> Finding {
    let check = "work.backlog"
    let hours = backlog.oldestMilliseconds / 3_600_000
    let pending = "\(backlog.deliveries) deliveries and \(backlog.retries) retries pending"
    let counts = "\(backlog.messages) messages open, \(pending)"
    if hours < oldMessageHours { return .fine(check, counts) }
    return .warning(
      check, "\(counts); the oldest message is open for \(hours) h",
      why: "Its deliveries wait for APNs, for a key, or for a node.",
      todo: "`GET /v1/messages?state=sending` names it; cancel it when it is of no use any more.")
  }

  static func judge(mismatches: Int) -> Finding {
    let check = "work.ledger"
    if mismatches == 0 { return .fine(check, "the ledgers of the last hour add up") }
    return .problem(
      check, "the ledgers of \(mismatches) messages don't add up",
      why: "This can't happen without a defect or a change by hand.",
      todo: "Keep the database as it is, and report it with the rows of message_ledger.")
  }
}
