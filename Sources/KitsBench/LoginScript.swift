/// What a login writes, as pgbench does it one row at a time: no replay, no policy, no mode, no expected binding.
enum LoginScript {
  /// Of pgbench's own installations: far from those that register.
  static let firstNumber = 1_000_000_000

  static func installations(_ count: Int, app: Int) -> String {
    """
    INSERT INTO installation (
      app_no, installation_no, installation_id, platform, push_token, token_state, token_registered_at, permission,
      binding_id, state_revision, state_hash, app_version, os_version, model, language)
    SELECT \(app), \(firstNumber) + i, gen_random_uuid(), 1, encode(sha256(int8send(i)), 'hex'), 1, now(), 3,
      gen_random_uuid(), 1, sha256(int8send(i)), '1.0.0', '18.1', 'iPhone16,2', 'de-DE'
    FROM generate_series(0, \(count - 1)::bigint) i
    """
  }

  static func text(_ count: Int, app: Int) -> String {
    """
    \\set no random(0, \(count - 1))
    \\set op random(1, 9223372036854775807)
    WITH t AS (SELECT i.app_no, i.installation_no, i.binding_number FROM installation i \
    WHERE i.app_no = \(app) AND i.installation_no = \(firstNumber) + :no FOR NO KEY UPDATE), \
    o AS (INSERT INTO identity_operation (app_no, installation_no, operation_id, kind, external_id, status, \
    policy_revision, binding_id, binding_number, bound_external_id, verified, changed_at) \
    SELECT t.app_no, t.installation_no, \(uuid("op", "no")), 1, \(user), 1, 1, \(uuid("no", "op")), \
    t.binding_number + 1, \(user), false, now() FROM t ON CONFLICT DO NOTHING RETURNING *), \
    u AS (UPDATE installation i SET binding_id = o.binding_id, binding_number = o.binding_number, \
    external_id = o.bound_external_id, verified = o.verified, binding_changed_at = o.changed_at, updated_at = now(), \
    tags = '{}', customer_user_id = NULL \
    FROM o WHERE i.app_no = o.app_no AND i.installation_no = o.installation_no) \
    SELECT o.status, o.binding_id, o.binding_number FROM o;

    """
  }

  private static let user = "'user-' || to_hex(:op::bigint)"

  private static func uuid(_ high: String, _ low: String) -> String {
    "encode(int8send(:\(high)::bigint) || int8send(:\(low)::bigint), 'hex')::uuid"
  }
}
