package import KitsCore
import Postgres

/// Everything that has to be known before a message is validated: whose key, which app, and was this request answered
/// before.
package struct CreationRequest: Sendable {
  /// SHA-256 of the server key.
  package let serverKeyHash: [UInt8]
  /// The `app_id` of the body; nil when it names none.
  package let app: AppID?
  /// SHA-256 of the `Idempotency-Key`; nil without one.
  package let idempotencyKeyHash: [UInt8]?

  package init(serverKeyHash: [UInt8], app: AppID?, idempotencyKeyHash: [UInt8]?) {
    self.serverKeyHash = serverKeyHash
    self.app = app
    self.idempotencyKeyHash = idempotencyKeyHash
  }

  package struct Admission: Sendable {
    package let key: ServerKeyPrincipal
    /// The app that was named, or the only one of the environment.
    package let app: AdmittedApp?
    package let earlier: EarlierAnswer?
  }

  package struct AdmittedApp: Sendable {
    package let number: AppNumber
    package let id: AppID
    package let bundleID: String
    /// Nobody is bound in its environment without a proof that holds.
    package let enforcesProof: Bool
  }

  package struct EarlierAnswer: Sendable {
    package let bodyHash: [UInt8]
    package let message: CreatedMessage
  }
}

/// `LIMIT 1` makes each look-up one probe of a unique index, whatever the planner knew of the tables.
struct AdmitMessageCreations: Statement {
  let requests: [CreationRequest]

  static let sql = """
    SELECT (r.ord - 1)::integer, k.key_id, k.environment_no, k.scopes, k.role, a.app_no, a.app_id, a.bundle_id,
      a.enforces_proof, e.body_hash, e.message_id, e.created_at, e.expires_at, e.unmatched_count, e.sample
    FROM unnest($1::bytea[], $2::uuid[], $3::bytea[]) WITH ORDINALITY AS r (hash, app_id, key_hash, ord)
    CROSS JOIN LATERAL (
      SELECT k.key_id, k.environment_no, k.scopes, k.role
      FROM server_key k
      WHERE k.hash = r.hash AND k.revoked_at IS NULL
      LIMIT 1
    ) k
    LEFT JOIN LATERAL (
      SELECT a.app_no, a.app_id, a.bundle_id, v.auth_mode = 2 AND NOT v.shadow AS enforces_proof
      FROM app a
      JOIN environment v USING (environment_no)
      WHERE a.environment_no = k.environment_no
        AND CASE
          WHEN r.app_id IS NOT NULL THEN a.app_id = r.app_id
          ELSE (SELECT count(*) FROM app x WHERE x.environment_no = k.environment_no) = 1
        END
    ) a ON true
    LEFT JOIN LATERAL (
      SELECT e.body_hash, m.message_id, m.created_at, m.expires_at, m.unmatched_count,
        m.unmatched_sample::text[] || m.unmatched_users AS sample
      FROM idempotency_key e
      JOIN message m USING (app_no, message_id)
      WHERE e.app_no = a.app_no AND e.credential = 1 AND e.key_hash = r.key_hash
        AND e.created_at > now() - interval '30 days'
      LIMIT 1
    ) e ON true
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(requests.map(\.serverKeyHash))
    parameters.add(requests.map(\.app?.uuid))
    parameters.add(requests.map(\.idempotencyKeyHash))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> (Int, CreationRequest.Admission) {
    let index = Int(try row.int32())
    let key = try ServerKeyPrincipal.decode(&row)
    guard let appNumber = try row.int64OrNil() else {
      return (index, CreationRequest.Admission(key: key, app: nil, earlier: nil))
    }
    let app = CreationRequest.AdmittedApp(
      number: AppNumber(appNumber), id: AppID(try row.uuid()), bundleID: try row.string(),
      enforcesProof: try row.bool())
    guard let bodyHash = try row.bytesOrNil() else {
      return (index, CreationRequest.Admission(key: key, app: app, earlier: nil))
    }
    guard let messageID = try row.uuidOrNil() else {
      return (index, CreationRequest.Admission(key: key, app: app, earlier: nil))
    }
    let message = CreatedMessage(
      id: MessageID(messageID), createdAt: Timestamp(microseconds: try row.timestamp()),
      expiresAt: Timestamp(microseconds: try row.timestamp()),
      unmatched: MessageRecord.Unmatched(count: try row.int32(), sample: try row.stringArray()))
    let earlier = CreationRequest.EarlierAnswer(bodyHash: bodyHash, message: message)
    return (index, CreationRequest.Admission(key: key, app: app, earlier: earlier))
  }
}
