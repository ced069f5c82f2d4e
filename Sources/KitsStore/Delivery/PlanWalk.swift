/// A page of the table of installations, in the order of their numbers. At most so many rows are looked at, so that
/// a page of a sparse audience, or of a small app among large ones, is no longer than another.
///
/// `LIMIT 1` keeps the planner from hashing all owners for each page (1 s instead of 30 ms for 10,000 of a million);
/// why owners are looked up by installation is said at `RecipientRow.owner`.
enum PlanWalk {
  /// The rows are taken before anything is asked of them, so they are the same whatever the condition is. Where they
  /// end is only looked up when the page isn't full.
  ///
  /// - Parameters:
  ///   - limit: the parameter with the most members of a page.
  ///   - rows: the parameter with the most rows that are looked at.
  static func page(of condition: String, limit: String, rows: String) -> String {
    page(
      where: "true",
      table: """
        (
          SELECT i.*
          FROM installation i
          WHERE \(next)
          ORDER BY i.installation_no
          LIMIT \(rows)
        ) i
        """, condition: "(\(condition))",
      edge: """
        coalesce(
          (
            SELECT i.installation_no
            FROM installation i
            WHERE \(next)
            ORDER BY i.installation_no
            OFFSET \(rows) - 1
            LIMIT 1
          ), m.plan_upto)
        """, limit: limit)
  }

  /// The first page of a message that nothing was planned of, with as many rows as it takes: when an index tells who
  /// matches, that is far less than the table. `upto` is the parameter with the newest installation that counts.
  static func whole(of condition: String, limit: String, upto: String) -> String {
    page(
      where: "m.plan_cursor = 0", table: "installation i",
      condition: "i.app_no = $1 AND i.installation_no <= \(upto) AND (\(condition))", edge: "m.plan_upto",
      limit: limit)
  }

  /// Of marked devices alone.
  static func testDevices(of condition: String, limit: String) -> String {
    page(
      where: "true",
      table: "test_device d JOIN installation i ON i.app_no = d.app_no AND i.installation_no = d.installation_no",
      condition: """
        d.app_no = $1 AND d.installation_no > m.plan_cursor AND d.installation_no <= m.plan_upto AND (\(condition))
        """, edge: "m.plan_upto", limit: limit)
  }

  private static let next = """
    i.app_no = $1 AND i.installation_no > m.plan_cursor AND i.installation_no <= m.plan_upto
    """

  /// `edge`: how far the page has looked when it isn't full.
  private static func page(
    where start: String, table: String, condition: String, edge: String, limit: String
  ) -> String {
    """
    WITH \(PlanPage.lockedMessage(where: start)),
    page AS MATERIALIZED (
      SELECT i.installation_no AS no, i.binding_number, i.apns_environment
      FROM m
      CROSS JOIN LATERAL (
        SELECT i.installation_no, i.binding_number, i.apns_environment
        FROM \(table)
        CROSS JOIN LATERAL (
          SELECT
          FROM (
            SELECT o.token
            FROM token_owner o
            WHERE o.app_no = i.app_no AND o.installation_no = i.installation_no
            OFFSET 0
          ) o
          WHERE o.token = i.push_token
          LIMIT 1
        ) o
        WHERE \(condition) AND i.reachable AND (i.verified OR NOT m.verified_only)
        ORDER BY i.installation_no
        LIMIT \(limit)
      ) i
    ),
    full_page AS (
      SELECT count(*) = \(limit) AS is_full, max(p.no) AS last
      FROM page p
    ),
    moved AS MATERIALIZED (
      SELECT x.cursor, NOT f.is_full AND x.cursor >= m.plan_upto AS done
      FROM m
      CROSS JOIN full_page f
      CROSS JOIN LATERAL (SELECT CASE WHEN f.is_full THEN f.last ELSE \(edge) END AS cursor) x
    ),
    \(PlanPage.store)
    """
  }
}
