import KitsCore

/// How a page of a message by local time finds the moment of each recipient. The zones were worked out when the message
/// started (`zone_times`), so that whatever a device says its zone is can't fail a page: a name that isn't among them
/// is an unknown zone.
enum LocalTime {
  /// Of the locked message `m`.
  static let columns = "m.local_at, m.zones_past, m.default_zone, m.chosen_at"

  /// The recipients of `page` as `timed`, each with its moment: of any other message without a look at anything.
  static let timed = """
    timed AS (
      SELECT p.no, p.binding_number, p.apns_environment, '-infinity'::timestamptz AS not_before, false AS is_past
      FROM m
      JOIN page p ON m.local_at IS NULL
      UNION ALL
      SELECT p.no, p.binding_number, p.apns_environment, l.not_before, l.is_past
      FROM m
      JOIN page p ON m.local_at IS NOT NULL
      \(join)
    )
    """

  /// The moment of recipient `p` as `l (not_before, is_past)`. What was past when the time was chosen is past; what
  /// passed since because the message started late is only late.
  private static let join = """
    LEFT JOIN LATERAL (
      SELECT coalesce(
        (
          SELECT z.not_before
          FROM message_zone z
          WHERE z.app_no = $1 AND z.message_no = $2 AND z.zone = lower(i.time_zone) COLLATE "C"
        ),
        (
          SELECT z.not_before
          FROM message_zone z
          WHERE z.app_no = $1 AND z.message_no = $2 AND z.zone = m.default_zone
        ),
        m.local_at AT TIME ZONE 'UTC'
      ) AS moment
      FROM installation i
      WHERE i.app_no = $1 AND i.installation_no = p.no
    ) z ON true
    CROSS JOIN LATERAL (
      SELECT CASE WHEN z.moment >= m.chosen_at THEN z.moment ELSE '-infinity' END AS not_before,
        coalesce(z.moment < m.chosen_at AND m.zones_past = \(ZonesPast.skip.rawValue), false) AS is_past
    ) l
    """

  /// The outcome byte of a new member, as hex digits.
  static func outcome(isPast: String) -> String {
    let past = String(OutcomeCode.zonePast.byte, radix: 16)
    return "CASE WHEN \(isPast) THEN '\(past.count == 1 ? "0" : "")\(past)' ELSE '00' END"
  }

  /// The zones go with the last page.
  static let forget = """
    forgotten AS (
      DELETE FROM message_zone z
      USING m, moved
      WHERE m.local_at IS NOT NULL AND moved.done AND z.app_no = $1 AND z.message_no = $2
    )
    """
}
