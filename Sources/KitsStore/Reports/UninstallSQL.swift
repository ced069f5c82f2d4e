/// How an uninstall is noted and taken back, in the statements that learn of it (T9).
enum UninstallSQL {
  /// Until when a device that registers again was never gone.
  static let grace = "interval '7 days'"

  static let today = "(now() AT TIME ZONE 'UTC')::date"

  /// A CTE that notes the installations of `source` whose token is dead and theirs. One that another installation owns
  /// by now says nothing of the device. The day of a device that dies a second time on it counts once.
  static func note(from source: String) -> String {
    """
    noted AS (
      INSERT INTO uninstall AS x (app_no, installation_no, day, platform, app_version)
      SELECT k.app_no, k.installation_no, \(today), k.platform, k.app_version
      FROM \(source) k
      WHERE k.token_state = 3
        AND EXISTS (
          SELECT
          FROM token_owner o
          WHERE o.app_no = k.app_no AND o.token = k.push_token AND o.installation_no = k.installation_no
        )
      ORDER BY k.app_no, k.installation_no
      ON CONFLICT (app_no, installation_no, day) DO UPDATE
        SET noticed_at = now(), taken_back_at = NULL, platform = excluded.platform, app_version = excluded.app_version
    )
    """
  }

  /// A CTE that takes back what may still be: `source` has `app_no` and `installation_no` of those that are there
  /// again. Nobody waits for a row that another batch is about to change.
  static func takeBack(_ source: String) -> String {
    """
    back AS (
      UPDATE uninstall x
      SET taken_back_at = now()
      FROM (
        SELECT x.app_no, x.installation_no, x.day
        FROM (\(source)) y
        JOIN uninstall x USING (app_no, installation_no)
        WHERE x.taken_back_at IS NULL AND x.noticed_at > now() - \(grace)
        FOR NO KEY UPDATE OF x SKIP LOCKED
      ) y
      WHERE x.app_no = y.app_no AND x.installation_no = y.installation_no AND x.day = y.day
      RETURNING x.app_no, x.installation_no
    )
    """
  }
}
