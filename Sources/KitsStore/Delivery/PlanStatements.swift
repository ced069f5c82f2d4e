import KitsCore
import Postgres

/// The next page of a message for everyone: at most `pageLimit` of the next `scanWindow` installations.
struct PlanPageOfEveryone: Statement {
  let claim: PlanClaim
  let owner: Int64
  let scanWindow: Int64
  let pageLimit: Int32

  static let sql = PlanWalk.page(of: "true", limit: "$5", rows: "$6")

  func bind(to parameters: inout Parameters) {
    PlanPage.bind(claim, owner: owner, to: &parameters)
    parameters.add(pageLimit)
    parameters.add(scanWindow)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> PlanProgress {
    try PlanPage.decode(&row)
  }
}

/// The next page of a message for named installations or users: a slice of the resolved list. Of a fenced message the
/// list has the bindings too. A member whose binding moved since is planned all the same, so that the ledger says what
/// became of it: the fence stops it.
struct PlanPageOfNamed: Statement {
  let claim: PlanClaim
  let owner: Int64
  let pageLimit: Int32

  static let sql = """
    WITH \(PlanPage.lockedMessage),
    page AS MATERIALIZED (
      SELECT i.installation_no AS no, coalesce(x.binding, i.binding_number) AS binding_number, i.apns_environment
      FROM m
      JOIN message_target t ON t.app_no = $1 AND t.message_no = $2
      CROSS JOIN LATERAL unnest(
        t.members[m.plan_cursor + 1 : m.plan_cursor + $5], t.binding_nos[m.plan_cursor + 1 : m.plan_cursor + $5]
      ) AS x (no, binding)
      JOIN installation i ON i.app_no = $1 AND i.installation_no = x.no
      JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
      WHERE i.reachable
    ),
    moved AS (
      SELECT least(m.plan_cursor + $5, m.plan_upto) AS cursor, m.plan_cursor + $5 >= m.plan_upto AS done
      FROM m
    ),
    \(PlanPage.store)
    """

  func bind(to parameters: inout Parameters) {
    PlanPage.bind(claim, owner: owner, to: &parameters)
    parameters.add(pageLimit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> PlanProgress {
    try PlanPage.decode(&row)
  }
}

/// A page of those who match. Its text has the compiled filter, so it is no `Statement`; and it is planned for the
/// values at hand, unlike the others of its pool.
enum PlanPageOfAudience {
  /// How much of the table one statement looks at.
  enum Reach: Sendable {
    /// All that is left, from the beginning.
    case whole(within: Duration)
    /// So many rows.
    case rows(Int64)
  }

  static func statement(
    _ claim: PlanClaim, _ audience: PlanAudience, owner: Int64, reach: Reach, pageLimit: Int32
  ) -> DynamicStatement<PlanProgress> {
    var parameters = Parameters()
    PlanPage.bind(claim, owner: owner, to: &parameters)
    parameters.add(pageLimit)
    let sql: String
    if audience.isForTestDevices {
      let filter = CompiledFilter(audience.filter, firstParameter: 6, now: audience.at)
      sql = PlanWalk.testDevices(of: filter.sql, limit: "$5")
      filter.bind(into: &parameters)
    } else {
      let filter = CompiledFilter(audience.filter, firstParameter: 7, now: audience.at)
      switch reach {
      case .whole:
        parameters.add(audience.upto)
        sql = PlanWalk.whole(of: filter.sql, limit: "$5", upto: "$6")
      case .rows(let rows):
        parameters.add(rows)
        sql = PlanWalk.page(of: filter.sql, limit: "$5", rows: "$6")
      }
      filter.bind(into: &parameters)
    }
    return DynamicStatement(
      name: "PlanPageOfAudience", sql: sql, parameters: parameters, isIdempotent: false, decode: PlanPage.decode)
  }

  /// For the transaction of the page: planned for the values at hand, and each owner is looked up, never all of them.
  static func settings(_ reach: Reach) -> String {
    let planning =
      "SET LOCAL plan_cache_mode = auto; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
    switch reach {
    case .whole(let limit):
      return "\(planning); SET LOCAL statement_timeout = \(max(1, Int(limit / .milliseconds(1))))"
    case .rows: return planning
    }
  }
}
