import KitsCore
import Postgres

/// The part of a changing statement that writes the change down in the audit log.
enum AuditSQL {
  /// A CTE `audit`, for the `WITH` of a statement.
  ///
  /// - Parameters:
  ///   - source: what changed: the FROM item, whose columns the expressions name. No row, no entry.
  ///   - first: the number of the first of the five parameters that `bind` adds.
  ///   - environment: an expression for the number of the environment; `NULL` when none is concerned.
  ///   - target: the kind of thing that was changed and an expression for its public id as text.
  ///   - changes: an expression for a `jsonb` object of `[before, after]` pairs. Never a secret.
  static func insert(
    from source: String, first: Int, environment: String, target: (kind: AuditTarget.Kind, id: String),
    changes: String = "'{}'::jsonb"
  ) -> String {
    """
    audit AS (
      INSERT INTO audit_entry (
        environment_no, actor_kind, actor_id, actor_role, action, request_id, target_kind, target_id, changes
      )
      SELECT \(environment), $\(first)::smallint, $\(first + 1)::text, $\(first + 2)::smallint, $\(first + 3)::text,
        $\(first + 4)::text, '\(target.kind.rawValue)', \(target.id), \(changes)
      FROM \(source)
    )
    """
  }

  static func bind(_ call: AuditedCall, to parameters: inout Parameters) {
    parameters.add(call.actor.kind.rawValue)
    parameters.add(call.actor.id)
    parameters.add(call.actor.role.rawValue)
    parameters.add(call.action.rawValue)
    parameters.add(call.requestID)
  }
}
