package import KitsCore
import Postgres

/// What the erasure of a user did.
package struct UserErasure: Sendable, Equatable {
  /// Installations that were bound to the user and are anonymous now.
  package let installations: Int32
  /// Identity operations that were forgotten, or whose answer was.
  package let operations: Int32
  /// Messages whose sample of unmatched ids had this one.
  package let messages: Int32
  /// Proofs that were issued before this bind nobody.
  package let erasedAt: Timestamp
}

/// Erases a user in all apps of an environment: what is bound to it becomes anonymous under a new binding, without the
/// tags and the ids that belonged to the user; what is remembered of its operations goes, and so does what was reported
/// under its bindings: events and activity. Their counts stay. A tombstone, which has a hash
/// alone, refuses proofs that were issued before. What was queued for the user is stopped by its fence.
///
/// The installations are locked first and in order; what another statement binds or unbinds meanwhile is looked at
/// again under its lock. `LockUser` has locked them before, in the same transaction: so this sees what was recorded of
/// them until then, and nothing is recorded after. Repeating it finds nothing to do but to renew the tombstone.
struct EraseUser: Statement {
  let environment: EnvironmentNumber
  let user: ExternalID
  let call: AuditedCall

  static let sql = """
    WITH e AS MATERIALIZED (
      SELECT e.environment_no, \(UserHash.sql(environment: "e.environment_id", user: "$2")) AS user_hash
      FROM environment e
      WHERE e.environment_no = $1
    ),
    t AS MATERIALIZED (
      SELECT i.app_no, i.installation_no, i.binding_number
      FROM app a
      JOIN installation i ON i.app_no = a.app_no AND i.external_id = $2
      WHERE a.environment_no = $1
      ORDER BY i.app_no, i.installation_no
      FOR NO KEY UPDATE OF i
    ),
    locked AS MATERIALIZED (
      SELECT count(*)::integer AS installations
      FROM t
    ),
    unbound AS (
      UPDATE installation i
      SET binding_id = gen_random_uuid(),
        binding_number = i.binding_number + 1,
        binding_changed_at = now(),
        external_id = NULL,
        verified = false,
        tags = '{}',
        customer_user_id = NULL
      FROM t
      WHERE i.app_no = t.app_no AND i.installation_no = t.installation_no
    ),
    bindings AS MATERIALIZED (
      SELECT t.app_no, t.installation_no, t.binding_number
      FROM t
      UNION
      SELECT o.app_no, o.installation_no, o.binding_number
      FROM app a
      JOIN identity_operation o ON o.app_no = a.app_no AND o.external_id = $2 AND o.bound_external_id = $2
      WHERE a.environment_no = $1
      UNION
      SELECT o.app_no, o.installation_no, o.binding_number
      FROM app a
      JOIN identity_operation o
        ON o.app_no = a.app_no AND o.bound_external_id = $2 AND o.bound_external_id IS DISTINCT FROM o.external_id
      WHERE a.environment_no = $1
    ),
    events AS (
      DELETE FROM notification_event e
      USING bindings b
      WHERE e.app_no = b.app_no AND e.installation_no = b.installation_no AND e.binding_number = b.binding_number
    ),
    records AS (
      DELETE FROM activity e
      USING bindings b
      WHERE e.app_no = b.app_no AND e.installation_no = b.installation_no AND e.binding_number = b.binding_number
    ),
    forgotten AS (
      DELETE FROM identity_operation o
      USING app a, locked
      WHERE a.environment_no = $1 AND o.app_no = a.app_no AND o.external_id = $2
      RETURNING o.app_no
    ),
    blanked AS (
      UPDATE identity_operation o
      SET bound_external_id = NULL
      FROM app a, locked
      WHERE a.environment_no = $1 AND o.app_no = a.app_no AND o.bound_external_id = $2
        AND o.bound_external_id IS DISTINCT FROM o.external_id
      RETURNING o.app_no
    ),
    scrubbed AS (
      UPDATE message m
      SET unmatched_users = array_remove(m.unmatched_users, $2)
      FROM app a, locked
      WHERE a.environment_no = $1 AND m.app_no = a.app_no AND m.unmatched_users <> '{}'
        AND m.unmatched_users @> ARRAY[$2]
      RETURNING m.app_no
    ),
    tombstone AS (
      INSERT INTO erased_user AS x (environment_no, user_hash, erased_at)
      SELECT e.environment_no, e.user_hash, now()
      FROM e
      CROSS JOIN locked
      ON CONFLICT (environment_no, user_hash) DO UPDATE
        SET erased_at = greatest(x.erased_at, excluded.erased_at)
      RETURNING x.environment_no, x.user_hash, x.erased_at
    ),
    done AS (
      SELECT x.environment_no, x.user_hash, x.erased_at, l.installations,
        ((SELECT count(*) FROM forgotten) + (SELECT count(*) FROM blanked))::integer AS operations,
        (SELECT count(*) FROM scrubbed)::integer AS messages
      FROM tombstone x
      CROSS JOIN locked l
    ),
    \(audit)
    SELECT d.installations, d.operations, d.messages, d.erased_at
    FROM done d
    """

  /// The user stays unnamed here too.
  private static let audit = AuditSQL.insert(
    from: "done d", first: 3, environment: "d.environment_no", target: (kind: .user, id: "encode(d.user_hash, 'hex')"),
    changes: """
      jsonb_build_object(
        'installations', jsonb_build_array(d.installations, 0), 'operations', jsonb_build_array(d.operations, 0),
        'messages', jsonb_build_array(d.messages, 0)
      )
      """)

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(user.text)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> UserErasure {
    UserErasure(
      installations: try row.int32(), operations: try row.int32(), messages: try row.int32(),
      erasedAt: Timestamp(microseconds: try row.timestamp()))
  }
}

/// Locks the installations that are bound to a user, first and in order, in a statement of its own: what is recorded of
/// them until the lock is had is seen by the statements after it, and by none before.
struct LockUser: Statement {
  let environment: EnvironmentNumber
  let user: ExternalID

  static let sql = """
    SELECT i.installation_no
    FROM app a
    JOIN installation i ON i.app_no = a.app_no AND i.external_id = $2
    WHERE a.environment_no = $1
    ORDER BY i.app_no, i.installation_no
    FOR NO KEY UPDATE OF i
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(user.text)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 {
    try row.int64()
  }
}
