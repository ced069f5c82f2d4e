import KitsCore
import Postgres

/// The delivery of a message to an installation, with all that is known of it; none when it wasn't a member.
struct FindDelivery: Statement {
  let app: AppNumber
  let message: MessageNumber
  let installation: InstallationNumber

  static let sql = """
    SELECT k.binding_nos[x.idx + 1], k.first_at, k.last_at, t.not_before,
      coalesce(t.last_status, d.last_status), coalesce(t.last_reason, d.last_reason), e1.occurred_at, e1.source,
      e2.occurred_at, e2.source, \(DeliverySQL.columns)
    FROM (
      SELECT k.chunk_no, 0 AS idx
      FROM message_chunk k
      WHERE k.app_no = $1 AND k.message_no = $2 AND k.lo = $3 AND k.n = 1
      UNION ALL
      SELECT k.chunk_no, p.idx
      FROM message_chunk k
      CROSS JOIN LATERAL (SELECT array_position(k.members, $3::bigint) - 1 AS idx OFFSET 0) p
      WHERE k.app_no = $1 AND k.message_no = $2 AND k.lo <= $3 AND k.hi >= $3 AND k.n > 1 AND p.idx IS NOT NULL
      LIMIT 1
    ) f
    CROSS JOIN LATERAL (
      SELECT k.binding_nos, k.outcomes, k.attempted_to, k.first_at, k.last_at
      FROM message_chunk k
      WHERE k.app_no = $1 AND k.message_no = $2 AND k.chunk_no = f.chunk_no
      LIMIT 1
    ) k
    CROSS JOIN LATERAL (
      SELECT $2::bigint AS message_no, f.chunk_no, f.idx, $3::bigint AS no, get_byte(k.outcomes, f.idx) AS code,
        k.attempted_to
    ) x
    \(DeliverySQL.joins)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(message.value)
    parameters.add(installation.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> DeliveryDetail {
    let binding = try row.int64OrNil()
    let times = DeliveryDetail.ChunkTimes(first: try time(&row), last: try time(&row))
    let next = try time(&row)
    let status = try row.int32OrNil()
    let reason = try row.stringOrNil()
    let received = try origin(&row)
    let clicked = try origin(&row)
    let standing = try DeliverySQL.decode(&row)
    return DeliveryDetail(
      standing: standing, plannedBinding: binding,
      answer: answer(status, reason, standing), nextAttemptAt: next, chunkTimes: times,
      received: confirmation(standing.receivedAt, received), clicked: confirmation(standing.clickedAt, clicked))
  }

  private typealias Origin = (occurredAt: Timestamp?, source: DeliveryDetail.Source?)

  private static func time(_ row: inout RowReader) throws(PostgresError) -> Timestamp? {
    try row.timestampOrNil().map(Timestamp.init(microseconds:))
  }

  private static func origin(_ row: inout RowReader) throws(PostgresError) -> Origin {
    let occurred = try time(&row)
    return (occurredAt: occurred, source: try row.int16OrNil().flatMap(DeliveryDetail.Source.init(rawValue:)))
  }

  private static func confirmation(_ receivedAt: Timestamp?, _ origin: Origin) -> DeliveryDetail.Confirmation? {
    guard let receivedAt, let source = origin.source else { return nil }
    return DeliveryDetail.Confirmation(receivedAt: receivedAt, occurredAt: origin.occurredAt, source: source)
  }

  /// Of deliveries that were tried once the outcome is all that is kept.
  private static func answer(
    _ status: Int32?, _ reason: String?, _ standing: DeliveryStanding
  ) -> DeliveryDetail.Answer? {
    if let status, let reason { return DeliveryDetail.Answer(status: status > 0 ? status : nil, reason: reason) }
    switch standing.outcome {
    case .accepted: return DeliveryDetail.Answer(status: 200, reason: standing.reason)
    case .failed: return DeliveryDetail.Answer(status: nil, reason: standing.reason)
    case .pending, .suppressed, .expired, .canceled, .unknown: return nil
    }
  }
}
