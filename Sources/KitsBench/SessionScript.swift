/// What the report of a new session writes, as pgbench does it one row at a time: no look for the session among those
/// that are known, no consent, no order.
enum SessionScript {
  static let seconds = 42

  static func text(_ count: Int, app: Int) -> String {
    """
    \\set no random(0, \(count - 1))
    \\set id random(1, 9223372036854775807)
    WITH t AS (SELECT i.app_no, i.installation_no, cardinality(i.session_ids) / 16 + 1 AS head FROM installation i \
    WHERE i.app_no = \(app) AND i.installation_no = \(LoginScript.firstNumber) + :no FOR NO KEY UPDATE) \
    UPDATE installation i SET \
    session_ids = (i.session_ids || encode(int8send(:id::bigint) || int8send(:no::bigint), 'hex')::uuid)[t.head:], \
    session_numbers = (i.session_numbers || i.session_count + 1)[t.head:], \
    session_seconds = (i.session_seconds || \(seconds)::bigint)[t.head:], \
    session_floor = CASE t.head WHEN 2 THEN i.session_numbers[1] ELSE i.session_floor END, \
    session_count = i.session_count + 1, foreground_seconds = i.foreground_seconds + \(seconds), \
    first_session_at = least(i.first_session_at, now()), last_session_at = greatest(i.last_session_at, now()) \
    FROM t WHERE i.app_no = t.app_no AND i.installation_no = t.installation_no \
    RETURNING i.session_count, i.foreground_seconds, i.first_session_at, i.last_session_at;

    """
  }
}
