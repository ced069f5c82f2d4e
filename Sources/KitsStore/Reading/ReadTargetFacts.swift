import KitsCore
import Postgres

/// What is kept about whom a message was for, and how an installation of its app stands to that.
///
/// A short list isn't kept. When everyone whom it named became a member, whoever is none wasn't named.
struct ReadTargetFacts: Statement {
  let app: AppNumber
  let message: MessageID
  let installation: InstallationNumber

  static let sql = """
    SELECT \(FindReadableMessage.isPlanned), \(FindReadableMessage.isForgotten), m.verified_only,
      m.target_kind IN (1, 3),
      CASE
        WHEN t.app_no IS NOT NULL THEN $3 = ANY (t.members)
        WHEN m.target_kind = 1 AND \(FindReadableMessage.isPlanned)
          AND m.planned >= m.requested - m.unmatched_count THEN false
      END,
      m.target_kind = 6, d.app_no IS NOT NULL, m.started_at IS NULL OR i.created_at <= m.started_at, a.audience,
      a.fixed_at
    FROM message m
    JOIN installation i ON i.app_no = m.app_no AND i.installation_no = $3
    LEFT JOIN message_target t ON t.app_no = m.app_no AND t.message_no = m.message_no
    LEFT JOIN message_audience a ON a.app_no = m.app_no AND a.message_id = m.message_id
    LEFT JOIN test_device d ON d.app_no = m.app_no AND d.installation_no = i.installation_no
    WHERE m.app_no = $1 AND m.message_id = $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(message.uuid)
    parameters.add(installation.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> TargetFacts {
    let isPlanned = try row.bool()
    let isForgotten = try row.bool()
    let isVerifiedOnly = try row.bool()
    let isForNamed = try row.bool()
    let isNamed = try row.boolOrNil()
    let isForTestDevices = try row.bool()
    let isTestDevice = try row.bool()
    let isRegisteredInTime = try row.bool()
    let json = try row.jsonOrNil()
    let fixedAt = try row.timestampOrNil().map(Timestamp.init(microseconds:))
    var audience: (filter: Filter, fixedAt: Timestamp?)?
    if let json { audience = (filter: try StoredFilter.read(json), fixedAt: fixedAt) }
    return TargetFacts(
      isPlanned: isPlanned, isForgotten: isForgotten, isVerifiedOnly: isVerifiedOnly, isForNamed: isForNamed,
      isNamed: isNamed, isForTestDevices: isForTestDevices, isTestDevice: isTestDevice,
      isRegisteredInTime: isRegisteredInTime, audience: audience)
  }
}
