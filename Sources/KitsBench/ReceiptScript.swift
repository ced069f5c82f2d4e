/// Devices that got deliveries, and what a receipt writes, as pgbench does it one row at a time: no days that might be
/// gone, and nobody to tell whether the installation is.
enum ReceiptScript {
  /// Far from those of other parts.
  static let firstNumber = 2_000_000_000
  static let installations = 100_000

  static func devices(app: Int) -> String {
    """
    INSERT INTO installation (
      app_no, installation_no, installation_id, platform, push_token, token_state, token_registered_at, permission,
      binding_id, state_revision, state_hash, app_version, os_version, model, language)
    SELECT \(app), \(firstNumber) + i, gen_random_uuid(), 1, encode(sha256(int8send(i)), 'hex'), 1, now(), 3,
      gen_random_uuid(), 1, sha256(int8send(i)), '1.0.0', '18.1', 'iPhone16,2', 'de-DE'
    FROM generate_series(0, \(installations - 1)::bigint) i
    """
  }

  /// - Parameters:
  ///   - first: the number of the first message; the others follow.
  ///   - messages: to how many messages the receipts belong.
  static func text(app: Int, first: Int, messages: Int) -> String {
    """
    \\set no random(0, \(installations - 1))
    \\set message random(0, \(messages - 1))
    WITH t AS (SELECT i.app_no, i.installation_no, i.binding_number FROM installation i \
    WHERE i.app_no = \(app) AND i.installation_no = \(firstNumber) + :no AND i.binding_number = 1 AND NOT i.coppa \
    FOR NO KEY UPDATE), \
    f AS (INSERT INTO notification_event (app_no, installation_no, message_no, type, source, binding_number) \
    SELECT t.app_no, t.installation_no, \(first) + :message, 1, 2, t.binding_number FROM t \
    ON CONFLICT DO NOTHING RETURNING app_no, message_no, type), \
    h AS (INSERT INTO event_hour AS h (app_no, message_no, type, hour, count) \
    SELECT f.app_no, f.message_no, f.type, date_trunc('hour', now(), 'UTC'), 1 FROM f \
    ON CONFLICT (app_no, message_no, type, hour) DO UPDATE SET count = h.count + 1) \
    SELECT count(*) FROM f;

    """
  }
}
