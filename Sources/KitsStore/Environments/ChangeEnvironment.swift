import KitsCore
import Postgres

/// Changes the policy of an environment: locks its row, decides, changes, and writes it down, so that two operators
/// never mix their wishes and every revision stands for one policy.
///
/// BASIC ends a shadow. A change that comes to what is there already changes nothing and leaves no entry.
struct ChangeEnvironment: Statement {
  let place: EnvironmentPlace
  let change: EnvironmentPolicy.Change
  let call: AuditedCall

  static let sql = """
    WITH e AS (
      SELECT \(columns("e"))
      FROM environment e
      WHERE \(EnvironmentPlace.condition)
      FOR NO KEY UPDATE
    ),
    w AS (
      SELECT e.environment_no,
        coalesce($3, e.auth_mode) AS auth_mode,
        coalesce($3, e.auth_mode) = 2 AND coalesce($4, e.shadow) AS shadow,
        coalesce($5, e.identifier_policy) AS identifier_policy,
        coalesce($6, e.raw_identifiers) AS raw_identifiers
      FROM e
    ),
    n AS (
      SELECT w.*,
        (w.auth_mode, w.shadow) IS DISTINCT FROM (e.auth_mode, e.shadow) AS rises,
        CASE
          WHEN $7 <> e.policy_revision THEN 1
          WHEN $4 AND w.auth_mode <> 2 THEN 2
          WHEN w.auth_mode = 2 AND NOT w.shadow AND (e.auth_mode <> 2 OR e.shadow) AND NOT $8 AND NOT EXISTS (
            SELECT
            FROM identity_key k
            WHERE k.environment_no = e.environment_no AND k.revoked_at IS NULL
          ) THEN 3
          ELSE 0
        END::smallint AS outcome
      FROM w
      JOIN e USING (environment_no)
    ),
    u AS (
      UPDATE environment x
      SET auth_mode = n.auth_mode, shadow = n.shadow, identifier_policy = n.identifier_policy,
        raw_identifiers = n.raw_identifiers, policy_revision = x.policy_revision + n.rises::integer
      FROM n
      WHERE x.environment_no = n.environment_no AND n.outcome = 0
        AND (x.auth_mode, x.shadow, x.identifier_policy, x.raw_identifiers)
          IS DISTINCT FROM (n.auth_mode, n.shadow, n.identifier_policy, n.raw_identifiers)
      RETURNING \(columns("x"))
    ),
    \(audit)
    SELECT n.outcome, \(EnvironmentRow.columns)
    FROM n
    CROSS JOIN (
      SELECT \(columns("u"))
      FROM u
      UNION ALL
      SELECT \(columns("e"))
      FROM e
      WHERE NOT EXISTS (SELECT FROM u)
    ) e
    """

  private static func columns(_ row: String) -> String {
    """
    \(row).environment_no, \(row).environment_id, \(row).project_no, \(row).name, \(row).auth_mode, \(row).shadow,
    \(row).policy_revision, \(row).identifier_policy, \(row).raw_identifiers
    """
  }

  private static let audit = AuditSQL.insert(
    from: "u JOIN e USING (environment_no)", first: 9, environment: "u.environment_no",
    target: (.environment, "u.environment_id::text"),
    changes: """
      jsonb_strip_nulls(jsonb_build_object(
        'auth_mode', \(pair("auth_mode", mode)),
        'shadow', \(pair("shadow") { $0 }),
        'policy_revision', \(pair("policy_revision") { $0 }),
        'identifier_policy', \(pair("identifier_policy", identifiers)),
        'raw_identifiers', \(pair("raw_identifiers") { $0 })
      ))
      """)

  /// `[before, after]` when the column changed, else NULL.
  private static func pair(_ column: String, _ shown: (String) -> String) -> String {
    """
    CASE WHEN e.\(column) <> u.\(column) THEN jsonb_build_array(\(shown("e.\(column)")), \(shown("u.\(column)"))) END
    """
  }

  private static func mode(_ column: String) -> String {
    "CASE \(column) WHEN \(AuthMode.basic.rawValue) THEN 'BASIC' ELSE 'VERIFIED' END"
  }

  private static func identifiers(_ column: String) -> String {
    let cases = IdentifierPolicy.allCases.map { "WHEN \($0.rawValue) THEN '\($0.name)'" }
    return "CASE \(column) \(cases.joined(separator: " ")) END"
  }

  func bind(to parameters: inout Parameters) {
    place.bind(to: &parameters)
    parameters.add(change.authMode?.rawValue)
    parameters.add(change.shadow)
    parameters.add(change.identifiers?.rawValue)
    parameters.add(change.rawIdentifiers)
    parameters.add(change.expectedRevision)
    parameters.add(change.isForced)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (outcome: EnvironmentPolicy.Outcome, environment: EnvironmentRecord) {
    (outcome: try row.known(EnvironmentPolicy.Outcome.self), environment: try EnvironmentRow.decode(&row))
  }
}
