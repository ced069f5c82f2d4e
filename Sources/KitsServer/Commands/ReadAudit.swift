internal import JSON
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits audit`
enum ReadAudit {
  static let limits = 1...10_000
  static let defaultLimit = 50

  private static let columns = [
    "number", "at", "environment_id", "actor_kind", "actor_id", "actor_role", "action", "target_kind", "target_id",
    "refusal", "changes", "request_id",
  ]

  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    if arguments.has("csv"), invocation.output.form != .text {
      throw CommandFailure.usage("give only one of --csv, --json or --field")
    }
    let selection = try selection(arguments)
    let entries = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await AuditStore(pool: pool).entries(selection)
    }
    if arguments.has("csv") {
      let lines = [CSV.line(columns)] + entries.map { CSV.line(row($0).map(cell)) }
      try invocation.output.standardOutput(lines.joined())
    } else if invocation.output.form == .text {
      try invocation.output.print(.table("entries", columns: columns, rows: entries.map(row)))
    } else {
      // Only a full page can have another behind it.
      let next = entries.count == Int(selection.limit) ? entries.last.map { Report.Value.integer(Int($0.number)) } : nil
      try invocation.output.print(
        Report([("entries", .table(columns: columns, rows: entries.map(row))), ("next_before", next ?? .null)]))
    }
  }

  private static func selection(_ arguments: Arguments) throws(CommandFailure) -> AuditSelection {
    var selection = AuditSelection(limit: Int32(defaultLimit))
    if let text = arguments.value("limit") {
      guard let limit = number(text).flatMap(Int32.init(exactly:)), limits.contains(Int(limit)) else {
        throw .usage("--limit must be \(limits.words)")
      }
      selection.limit = limit
    }
    if let text = arguments.value("before") {
      guard let number = number(text), number > 0 else { throw .usage("--before must be the number of an entry") }
      selection.before = number
    }
    if let text = arguments.value("since") {
      guard let time = RFC3339.parse(text) else { throw .usage("--since must be a time like 2026-11-30T08:00:00Z") }
      selection.since = KitsCore.Timestamp(microseconds: time)
    }
    selection.action = arguments.value("action").flatMap(AuditAction.init(rawValue:))
    if let text = arguments.value("environment") {
      selection.environment = try OperatorInput.id(text, "--environment")
    }
    return selection
  }

  /// Digits alone.
  private static func number(_ text: String) -> Int64? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
  }

  private static func row(_ entry: AuditEntry) -> [Report.Value] {
    [
      .integer(Int(entry.number)), .string(RFC3339.format(entry.at.microseconds)), text(entry.environment?.text),
      .string(entry.actor.kind.name), text(entry.actor.id), .string(entry.actor.role.name), .string(entry.action),
      .string(entry.targetKind), text(entry.targetID), text(entry.refusal), changes(entry), text(entry.requestID),
    ]
  }

  private static func text(_ text: String?) -> Report.Value { text.map { .string($0) } ?? .null }

  private static func changes(_ entry: AuditEntry) -> Report.Value {
    guard let value = try? JSON.parse(entry.changes) else { return .null }
    return Report.Value(value)
  }

  private static func cell(_ value: Report.Value) -> String {
    if case .null = value { "" } else { value.raw }
  }
}
