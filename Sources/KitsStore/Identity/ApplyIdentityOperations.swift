import KitsCore
import Postgres

/// Decides a set of logins and logouts, at most one of each installation.
///
/// The order matters: the installations are locked first, in order, and what is locked elsewhere answers busy; then the
/// operations are inserted, and only an operation that is new may change its installation. An operation that another
/// node inserted after this statement began is invisible here, but its key is not: the insert yields nothing and the
/// request comes again.
///
/// Each is decided in this order: device generation, replay, policy revision, mode, proof, compare-and-set.
struct ApplyIdentityOperations: Statement {
  let operations: [IdentityOperation]

  enum Row: Sendable {
    case answer(Int, IdentityAnswer)
    case busy(Int)
  }

  /// The first three are stored.
  private enum Status: Int16 {
    case applied = 1
    case unchanged = 2
    case conflict = 3
    case replayed = 4
    case reused = 5
    case modeChanged = 6
    case refused = 7
    case gone = 8
  }

  private static let requests = """
    r AS MATERIALIZED (
      SELECT *
      FROM unnest(
        $1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::uuid[], $6::uuid[], $7::smallint[], $8::text[],
        $9::uuid[], $10::bigint[], $11::smallint[], $12::text[], $13::text[], $14::bigint[], $15::uuid[]
      ) WITH ORDINALITY
        AS u (
          app_no, installation_no, generation, environment_no, installation_id, operation_id, kind, asked, expected,
          policy, authority, cause, key_id, issued_at, new_id, ord
        )
    ),
    place AS MATERIALIZED (
      SELECT r.ord, r.app_no, r.installation_no
      FROM r
      WHERE r.environment_no IS NULL
      UNION ALL
      SELECT r.ord, i.app_no, i.installation_no
      FROM r
      JOIN app a ON a.environment_no = r.environment_no
      JOIN installation i ON i.app_no = a.app_no AND i.installation_id = r.installation_id
    ),
    t AS MATERIALIZED (
      SELECT p.ord, i.app_no, i.installation_no, i.generation, i.binding_id, i.binding_number, i.external_id,
        i.verified, i.binding_changed_at
      FROM place p
      JOIN installation i USING (app_no, installation_no)
      ORDER BY i.app_no, i.installation_no
      FOR NO KEY UPDATE OF i SKIP LOCKED
    )
    """

  /// What is asked beside what is known. `early` is the answer when something before the proof decides; `fault` is what
  /// is wrong with the proof.
  private static let circumstances = """
    c AS MATERIALIZED (
      SELECT t.*, r.operation_id, r.kind, r.asked, r.expected, r.authority, r.new_id, e.auth_mode, e.policy_revision,
        e.shadow, k.status AS known_status, k.policy_revision AS known_policy, k.binding_id AS known_id,
        k.binding_number AS known_number, k.bound_external_id AS known_external_id, k.verified AS known_verified,
        k.changed_at AS known_changed_at,
        CASE
          WHEN r.generation <> t.generation THEN 8
          WHEN k.kind = r.kind AND k.external_id IS NOT DISTINCT FROM r.asked THEN 4
          WHEN k.kind IS NOT NULL THEN 5
          WHEN r.policy <> e.policy_revision THEN 3
          WHEN r.authority = 1 AND e.auth_mode <> 1 THEN 6
          WHEN r.authority = 2 AND e.auth_mode <> 2 THEN 6
        END AS early,
        CASE
          WHEN r.authority <> 2 THEN NULL
          WHEN y.revoked_at IS NOT NULL THEN '\(IdentityCause.keyRevoked)'
          WHEN r.cause IS NOT NULL THEN r.cause
          WHEN r.key_id IS NOT NULL AND y.key_id IS NULL THEN '\(IdentityCause.keyUnknown)'
          WHEN to_timestamp(r.issued_at) < z.erased_at THEN '\(IdentityCause.userErased)'
        END AS fault
      FROM t
      JOIN r USING (ord)
      CROSS JOIN LATERAL (
        SELECT e.environment_no, e.environment_id, e.auth_mode, e.policy_revision, e.shadow
        FROM app a
        JOIN environment e USING (environment_no)
        WHERE a.app_no = t.app_no
        LIMIT 1
      ) e
      LEFT JOIN LATERAL (
        SELECT k.*
        FROM identity_operation k
        WHERE k.app_no = t.app_no AND k.installation_no = t.installation_no AND k.operation_id = r.operation_id
        LIMIT 1
      ) k ON true
      LEFT JOIN LATERAL (
        SELECT y.key_id, y.revoked_at
        FROM identity_key y
        WHERE y.environment_no = e.environment_no AND y.key_id = r.key_id
        LIMIT 1
      ) y ON true
      LEFT JOIN LATERAL (
        SELECT z.erased_at
        FROM erased_user z
        WHERE r.authority = 2 AND z.environment_no = e.environment_no
          AND z.user_hash = sha256(
            convert_to(e.environment_id::text, 'UTF8') || '\\x00'::bytea || convert_to(r.asked, 'UTF8'))
        LIMIT 1
      ) z ON true
    )
    """

  /// The status, then the binding that is answered.
  private static let decisions = """
    s AS MATERIALIZED (
      SELECT c.*, CASE WHEN c.early IS NULL THEN c.fault END AS counted,
        coalesce(
          c.early,
          CASE
            WHEN c.fault IS NOT NULL AND NOT (c.shadow AND c.asked IS NOT NULL) THEN 7
            WHEN c.binding_id <> c.expected THEN 3
            WHEN c.kind = 1 AND c.external_id = c.asked THEN 2
            ELSE 1
          END
        )::smallint AS status,
        c.kind = 1 AND (c.authority = 3 OR c.authority = 2 AND c.fault IS NULL) AS proven
      FROM c
    ),
    d AS MATERIALIZED (
      SELECT s.ord, s.app_no, s.installation_no, s.operation_id, s.kind, s.asked, s.status, s.counted, s.auth_mode,
        CASE s.status WHEN 4 THEN s.known_status ELSE s.status END AS outcome,
        CASE s.status WHEN 4 THEN s.known_policy ELSE s.policy_revision END AS policy_revision,
        CASE s.status WHEN 4 THEN s.known_id WHEN 1 THEN s.new_id ELSE s.binding_id END AS binding_id,
        CASE s.status WHEN 4 THEN s.known_number WHEN 1 THEN s.binding_number + 1 ELSE s.binding_number END
          AS binding_number,
        CASE s.status WHEN 4 THEN s.known_external_id WHEN 1 THEN s.asked ELSE s.external_id END AS external_id,
        CASE s.status
          WHEN 4 THEN s.known_verified WHEN 1 THEN s.proven WHEN 2 THEN s.verified OR s.proven ELSE s.verified
        END AS verified,
        CASE s.status WHEN 4 THEN s.known_changed_at WHEN 1 THEN now() ELSE s.binding_changed_at END AS changed_at,
        s.status = 1 OR s.status = 2 AND s.proven AND NOT s.verified AS changes
      FROM s
    )
    """

  private static let effects = """
    o AS (
      INSERT INTO identity_operation (
        app_no, installation_no, operation_id, kind, external_id, status, policy_revision, binding_id, binding_number,
        bound_external_id, verified, changed_at
      )
      SELECT d.app_no, d.installation_no, d.operation_id, d.kind, d.asked, d.status, d.policy_revision, d.binding_id,
        d.binding_number, d.external_id, d.verified, d.changed_at
      FROM d
      WHERE d.status <= 3
      ORDER BY d.app_no, d.installation_no, d.operation_id
      ON CONFLICT DO NOTHING
      RETURNING app_no, installation_no, operation_id
    ),
    x AS (
      UPDATE installation i
      SET binding_id = d.binding_id,
        binding_number = d.binding_number,
        external_id = d.external_id,
        verified = d.verified,
        binding_changed_at = d.changed_at,
        updated_at = now(),
        tags = CASE d.status WHEN 1 THEN '{}' ELSE i.tags END,
        customer_user_id = CASE d.status WHEN 1 THEN NULL ELSE i.customer_user_id END
      FROM d
      JOIN o USING (app_no, installation_no, operation_id)
      WHERE d.changes AND i.app_no = d.app_no AND i.installation_no = d.installation_no
    ),
    j AS (
      INSERT INTO identity_rejection AS j (app_no, day, cause, bound, count, last_at)
      SELECT d.app_no, (now() AT TIME ZONE 'UTC')::date, d.counted, d.status <> 7, count(*), now()
      FROM d
      LEFT JOIN o USING (app_no, installation_no, operation_id)
      WHERE d.counted IS NOT NULL AND (d.status = 7 OR o.operation_id IS NOT NULL)
      GROUP BY d.app_no, d.counted, d.status <> 7
      ORDER BY d.app_no, d.counted, d.status <> 7
      ON CONFLICT (app_no, day, cause, bound) DO UPDATE
        SET count = j.count + excluded.count, last_at = excluded.last_at
    )
    """

  static let sql = """
    WITH \(requests),
    \(circumstances),
    \(decisions),
    \(effects)
    SELECT (r.ord - 1)::integer,
      CASE
        WHEN d.status <= 3 AND o.operation_id IS NULL THEN 0
        WHEN d.status IS NOT NULL THEN d.status
        WHEN EXISTS (SELECT FROM place p JOIN installation i USING (app_no, installation_no) WHERE p.ord = r.ord) THEN 0
        ELSE 8
      END::smallint,
      d.outcome, d.kind, d.policy_revision, d.auth_mode, d.counted, d.binding_id, d.binding_number, d.external_id,
      d.verified, d.changed_at
    FROM r
    LEFT JOIN d USING (ord)
    LEFT JOIN o
      ON o.app_no = d.app_no AND o.installation_no = d.installation_no AND o.operation_id = d.operation_id
    ORDER BY r.ord
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let index = Int(try row.int32())
    guard let status = Status(rawValue: try row.int16()) else { return .busy(index) }
    if status == .gone { return .answer(index, .gone) }
    let outcome = try row.int16()
    let kind = try row.int16()
    let policyRevision = try row.int64()
    let authMode = try row.known(AuthMode.self)
    let cause = try row.stringOrNil()
    switch status {
    case .reused: return .answer(index, .operationReused)
    case .modeChanged: return .answer(index, .authModeChanged(authMode, policyRevision: policyRevision))
    case .refused: return .answer(index, .proofRefused(cause: cause ?? ""))
    case .applied, .unchanged, .conflict, .replayed, .gone: break
    }
    let standing = IdentityAnswer.Standing(
      binding: try InstallationRow.decodeBinding(&row), policyRevision: policyRevision,
      isReplay: status == .replayed, overlooked: cause)
    switch Status(rawValue: outcome) {
    case .applied:
      return .answer(index, .done(kind == IdentityOperation.Kind.login.rawValue ? .bound : .loggedOut, standing))
    case .unchanged: return .answer(index, .done(.unchanged, standing))
    case .conflict: return .answer(index, .conflict(standing))
    default: throw .decode("an identity operation has the outcome \(outcome)")
    }
  }
}
