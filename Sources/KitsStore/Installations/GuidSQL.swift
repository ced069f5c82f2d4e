/// How an installation takes over the guid of its device, in the statements that store one. They make a CTE `hold`
/// that ends in `onConflict`.
///
/// Who held the guid may be locked by another batch, part of this one, or too new for this statement to see. It stays
/// then, is answered as unsettled, and loses its token in a statement of its own right after
/// (`SupersedeInstallations`).
enum GuidSQL {
  /// The row's lock puts installations that want the same guid in an order, whatever they can see of one another.
  static let onConflict = """
    ON CONFLICT (app_no, guid_hash) DO UPDATE
        SET installation_no = excluded.installation_no,
          previous_no = CASE
            WHEN g.installation_no = excluded.installation_no THEN g.previous_no ELSE g.installation_no END
      RETURNING g.app_no, g.guid_hash, g.installation_no, g.previous_no
    """

  /// CTEs that take the token from those that held a guid before, and the mark of a test device: whoever knows a guid
  /// could otherwise have it moved to a device of theirs.
  ///
  /// - Parameters:
  ///   - source: the installations of this statement, whose tokens were stored by it.
  ///   - condition: more that a loser `o` must fulfil.
  static func supersede(by source: String, unless condition: String = "false") -> String {
    """
    loser AS MATERIALIZED (
      SELECT o.app_no, o.installation_no, o.push_token
      FROM hold h
      JOIN installation o ON o.app_no = h.app_no AND o.installation_no = h.previous_no
      WHERE o.identifiers -> 'guid' ->> 'hash' = h.guid_hash AND NOT \(condition)
      ORDER BY o.app_no, o.installation_no
      FOR NO KEY UPDATE OF o SKIP LOCKED
    ),
    superseded AS (
      UPDATE installation i
      SET \(loses)
      FROM loser l
      WHERE i.app_no = l.app_no AND i.installation_no = l.installation_no
      RETURNING i.app_no, i.installation_no
    ),
    unmarked AS (
      DELETE FROM test_device m
      USING superseded s
      WHERE m.app_no = s.app_no AND m.installation_no = s.installation_no
    ),
    released AS (
      DELETE FROM token_owner o
      USING loser l
      WHERE o.app_no = l.app_no AND o.token = l.push_token AND o.installation_no = l.installation_no
        AND NOT EXISTS (SELECT FROM \(source) n WHERE n.app_no = l.app_no AND n.push_token = l.push_token)
    )
    """
  }

  /// What a superseded installation is afterwards: 4 is `TokenState.superseded`.
  static let loses = "push_token = NULL, token_registered_at = NULL, token_state = 4, updated_at = now()"

  /// The numbers that an installation `i` of the answer leaves unsettled.
  static let unsettled = """
    ARRAY(
        SELECT h.previous_no
        FROM hold h
        WHERE h.app_no = i.app_no AND h.installation_no = i.installation_no AND h.previous_no IS NOT NULL
          AND NOT EXISTS (
            SELECT FROM superseded s WHERE s.app_no = h.app_no AND s.installation_no = h.previous_no
          )
        UNION
        SELECT i.installation_no
        FROM hold h
        WHERE h.app_no = i.app_no AND h.guid_hash = i.identifiers -> 'guid' ->> 'hash'
          AND h.installation_no <> i.installation_no
      )
    """
}
