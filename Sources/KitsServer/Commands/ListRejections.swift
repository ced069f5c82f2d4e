internal import JSON
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits identity rejections`
enum ListRejections {
  /// Counts are kept for so long.
  static let days = 1...90
  static let defaultDays = 7

  @Sendable static func run(_ invocation: Invocation) async throws {
    let days = try days(invocation.arguments.value("days"))
    let counts = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await IdentityStore(pool: pool).rejections(days: Int32(days))
    }
    let rows = counts.map { count -> [Report.Value] in
      [
        .string(count.day), .string(count.app.text), .string(count.cause),
        .string(count.wasOverlooked ? "let_through" : "refused"), .integer(Int(count.count)),
        .string(RFC3339.format(count.lastAt.microseconds)),
      ]
    }
    try invocation.output.print(
      .table("rejections", columns: ["day", "app_id", "cause", "outcome", "count", "last_at"], rows: rows))
  }

  private static func days(_ text: String?) throws(CommandFailure) -> Int {
    guard let text else { return defaultDays }
    guard let number = Int(text), days.contains(number) else { throw .usage("--days must be 1 to 90") }
    return number
  }
}
