import KitsCore
import Postgres

/// What a scheduled message needs beside its row.
enum ScheduleSQL {
  /// When a message that starts at `due` expires: its time to live counts from then, of a message by local time from
  /// when the last zone on earth reaches it.
  static func expiresAt(due: String, local: String, ttl: String) -> String {
    """
    greatest(now(), coalesce(\(local) + interval '\(LocalSchedule.westmostSeconds) seconds', \(due)))
      + make_interval(secs => greatest(\(ttl), 60))
    """
  }

  /// The segments that a body names, so that they count as in use until the message is planned. Of a segment that
  /// stands in both lists one use is kept.
  static func segments(of body: String, from rows: String) -> String {
    """
    SELECT s.app_no, x.message_id, s.segment_id, bool_and(u.excluded) AS excluded
    FROM \(rows) x
    CROSS JOIN LATERAL (
      VALUES (false, json_extract_path(\(body), 'target', 'segment_ids')),
        (true, json_extract_path(\(body), 'target', 'exclude_segment_ids'))
    ) AS u (excluded, ids)
    CROSS JOIN LATERAL json_array_elements_text(
      CASE WHEN json_typeof(u.ids) = 'array' THEN u.ids ELSE '[]' END
    ) AS i (segment_id)
    JOIN segment s ON s.app_no = x.app_no AND s.segment_id = i.segment_id::uuid
    GROUP BY s.app_no, x.message_id, s.segment_id
    """
  }
}

extension AudienceGuards {
  /// The most recipients, the expected count, and the expected digest as text.
  func bind(to parameters: inout Parameters) {
    parameters.add(maxRecipients)
    parameters.add(expected?.count)
    parameters.add(expected.map { String($0.digest.value) })
  }
}
