package import KitsCore
import Postgres

/// A segment that passed validation and is ready to be stored.
package struct NewSegment: Sendable {
  package let id: SegmentID
  package let app: AppNumber
  package let createdBy: ServerKeyID
  package let definition: SegmentDefinition
  package let idempotency: NewMessage.Idempotency?

  package init(
    id: SegmentID, app: AppNumber, createdBy: ServerKeyID, definition: SegmentDefinition,
    idempotency: NewMessage.Idempotency?
  ) {
    self.id = id
    self.app = app
    self.createdBy = createdBy
    self.definition = definition
    self.idempotency = idempotency
  }

  package enum Answer: Sendable, Equatable {
    case created(at: Timestamp)
    /// The app has as many as it may have.
    case full
    /// Another request with the same idempotency key came first: look for its answer again.
    case cameSecond
  }
}

/// What a request with the same idempotency key created before.
package struct EarlierSegment: Sendable, Equatable {
  package let id: SegmentID
  package let bodyHash: [UInt8]
  package let createdAt: Timestamp
}

struct FindEarlierSegment: Statement {
  let app: AppNumber
  let keyHash: [UInt8]

  static let sql = """
    SELECT message_id, body_hash, created_at
    FROM idempotency_key
    WHERE app_no = $1 AND credential = 2 AND key_hash = $2 AND created_at > now() - interval '30 days'
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(keyHash)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> EarlierSegment {
    EarlierSegment(
      id: SegmentID(try row.uuid()), bodyHash: try row.bytes(),
      createdAt: Timestamp(microseconds: try row.timestamp()))
  }
}

/// The idempotency row decides, then the segment follows.
struct CreateSegment: Statement {
  let segment: NewSegment
  let call: AuditedCall

  static let sql = """
    WITH room AS MATERIALIZED (
      SELECT count(*) < \(Limits.segmentsPerApp) AS is_left
      FROM segment
      WHERE app_no = $1
    ),
    key AS (
      INSERT INTO idempotency_key AS k (app_no, credential, key_hash, body_hash, message_id)
      SELECT $1, 2, $7::bytea, $8::bytea, $2
      FROM room
      WHERE $7::bytea IS NOT NULL AND room.is_left
      ON CONFLICT (app_no, credential, key_hash) DO UPDATE
        SET body_hash = excluded.body_hash, message_id = excluded.message_id, created_at = now()
        WHERE k.created_at <= now() - interval '30 days'
      RETURNING k.app_no
    ),
    ins AS (
      INSERT INTO segment (app_no, segment_id, created_by, name, filter, include_anonymous)
      SELECT $1, $2, $3, $4, $5, $6
      FROM room
      WHERE room.is_left AND ($7::bytea IS NULL OR EXISTS (SELECT FROM key))
      RETURNING app_no, segment_id, name, created_at
    ),
    \(AuditSQL.insert(
        from: "ins JOIN app a USING (app_no)", first: 9, environment: "a.environment_no",
        target: (kind: .segment, id: "ins.segment_id::text"),
        changes: "jsonb_build_object('name', jsonb_build_array(NULL, ins.name))"))
    SELECT room.is_left, ins.created_at
    FROM room
    LEFT JOIN ins ON true
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(segment.app.value)
    parameters.add(segment.id.uuid)
    parameters.add(segment.createdBy.uuid)
    parameters.add(segment.definition.name)
    parameters.add(json: FilterWriter.bytes(segment.definition.filter))
    parameters.add(segment.definition.includesAnonymous)
    parameters.add(segment.idempotency?.keyHash)
    parameters.add(segment.idempotency?.bodyHash)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> NewSegment.Answer {
    let isLeft = try row.bool()
    if let createdAt = try row.timestampOrNil() { return .created(at: Timestamp(microseconds: createdAt)) }
    return isLeft ? .cameSecond : .full
  }
}
