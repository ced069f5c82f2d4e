import KitsCore

/// The part of a statement that lists the keys of tags which it sets.
///
/// A key is looked up before it is inserted, and written once a day: most changes write none. An app that has as many
/// keys as are listed gets no further ones, whatever its devices have.
enum TagKeySQL {
  /// CTEs for the `WITH` of a statement.
  ///
  /// - Parameter given: a query of apps' numbers and `jsonb` objects of tags, as the columns `app_no` and `given`.
  static func catalogue(of given: String) -> String {
    """
    tag_given AS MATERIALIZED (
      SELECT k.app_no, k.key,
        (SELECT x.last_seen_on FROM tag_key x WHERE x.app_no = k.app_no AND x.key = k.key) AS last_seen_on
      FROM (
        SELECT DISTINCT g.app_no, e.key
        FROM (\(given)) AS g (app_no, given)
        CROSS JOIN LATERAL jsonb_object_keys(g.given) AS e (key)
      ) k
    ),
    tag_room AS MATERIALIZED (
      SELECT a.app_no,
        \(Limits.tagKeysPerApp) - (
          SELECT count(*)
          FROM (SELECT FROM tag_key x WHERE x.app_no = a.app_no LIMIT \(Limits.tagKeysPerApp)) x
        ) AS is_left
      FROM (SELECT DISTINCT k.app_no FROM tag_given k WHERE k.last_seen_on IS NULL) a
    ),
    tag_fresh AS MATERIALIZED (
      SELECT n.app_no, n.key
      FROM (
        SELECT k.app_no, k.key, row_number() OVER (PARTITION BY k.app_no ORDER BY k.key COLLATE "C") AS place
        FROM tag_given k
        WHERE k.last_seen_on IS NULL
      ) n
      JOIN tag_room USING (app_no)
      WHERE n.place <= tag_room.is_left
      UNION ALL
      SELECT k.app_no, k.key
      FROM tag_given k
      WHERE k.last_seen_on < (now() AT TIME ZONE 'UTC')::date
    ),
    tag_listed AS (
      INSERT INTO tag_key AS x (app_no, key)
      SELECT f.app_no, f.key
      FROM tag_fresh f
      ORDER BY f.app_no, f.key COLLATE "C"
      ON CONFLICT (app_no, key) DO UPDATE
        SET last_seen_on = excluded.last_seen_on
        WHERE x.last_seen_on < excluded.last_seen_on
    )
    """
  }
}
