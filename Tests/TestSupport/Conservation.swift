internal import Postgres

/// What must be true of every message at every moment, whatever a test did. `withDatabase` checks it before it drops a
/// database, so that every test that sends anything is a test of this too.
package enum Conservation {
  /// Messages for which it isn't true, and events of nobody's delivery, as text; none when all is well.
  package static func breaches(of url: String) async throws -> [String] {
    var configuration = PoolConfiguration(url: url)
    configuration.size = 1
    let pool = ConnectionPool(configuration)
    do {
      let found = try await pool.run(statement)
      await pool.close()
      return found
    } catch {
      await pool.close()
      throw error
    }
  }

  private static var statement: DynamicStatement<String> {
    DynamicStatement<String>(name: "conservation", sql: sql, parameters: Parameters()) {
      (row) throws(PostgresError) in try row.string()
    }
  }

  /// As long as nobody was deleted or erased, no event may be missing from what was counted.
  private static let sql = """
    SELECT 'message ' || to_json(c)::text
    FROM message_conservation c
    WHERE NOT c.holds
      OR (
        (c.received, c.clicked) <> (c.received_hours, c.clicked_hours)
        AND EXISTS (SELECT FROM message_chunk k WHERE k.app_no = c.app_no AND k.message_no = c.message_no)
        AND NOT EXISTS (SELECT FROM erased_user)
        AND NOT EXISTS (
          SELECT
          FROM message_chunk k
          CROSS JOIN LATERAL unnest(k.members) AS u (installation_no)
          WHERE k.app_no = c.app_no AND k.message_no = c.message_no AND NOT EXISTS (
            SELECT FROM installation i WHERE i.app_no = k.app_no AND i.installation_no = u.installation_no
          )
        )
      )
    UNION ALL
    SELECT 'event ' || to_json(n)::text
    FROM notification_event n
    WHERE EXISTS (SELECT FROM message_chunk k WHERE k.app_no = n.app_no AND k.message_no = n.message_no)
      AND NOT EXISTS (
        SELECT
        FROM message_chunk k
        WHERE k.app_no = n.app_no AND k.message_no = n.message_no AND n.installation_no = ANY (k.members)
      )
    """
}
