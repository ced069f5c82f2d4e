/// What a registration writes, as pgbench does it one row at a time: no look-up of the app, no replay, no answer.
enum RowScript: String, CaseIterable {
  case oneStatement = "one statement"
  case threeStatements = "three statements"

  /// - Parameter app: number of the app that gets the rows.
  func text(app: Int) -> String {
    let random = """
      \\set key random(1, 9223372036854775807)
      \\set token random(1, 9223372036854775807)

      """
    switch self {
    case .oneStatement:
      return random + """
        WITH n AS (SELECT nextval('installation_no_seq') AS no), \
        reg AS (INSERT INTO registration (app_no, key_hash, installation_no) \
        SELECT \(app), \(Self.keyHash), n.no FROM n), \
        ins AS (INSERT INTO installation (\(Self.columns)) SELECT \(Self.values(app, "n.no")) FROM n), \
        own AS (INSERT INTO token_owner (app_no, token, installation_no, registered_at) \
        SELECT \(app), \(Self.token), n.no, now() FROM n) \
        SELECT n.no FROM n;

        """
    case .threeStatements:
      let number = "currval('installation_no_seq')"
      return random + """
        BEGIN;
        INSERT INTO registration (app_no, key_hash, installation_no) \
        VALUES (\(app), \(Self.keyHash), nextval('installation_no_seq'));
        INSERT INTO installation (\(Self.columns)) VALUES (\(Self.values(app, number)));
        INSERT INTO token_owner (app_no, token, installation_no, registered_at) \
        VALUES (\(app), \(Self.token), \(number), now());
        COMMIT;

        """
    }
  }

  private static let keyHash = "sha256(int8send(:key::bigint))"
  private static let token = "encode(sha256(int8send(:token::bigint)), 'hex')"

  private static let columns = """
    app_no, installation_no, installation_id, platform, push_token, token_state, token_registered_at, permission, \
    binding_id, state_revision, state_hash, app_version, os_version, model, language
    """

  /// Ids that ascend, as the server's do, so that their index is filled in the same way.
  private static func values(_ app: Int, _ number: String) -> String {
    """
    \(app), \(number), encode(int8send(\(number)) || int8send(:key::bigint), 'hex')::uuid, 1, \(token), 1, now(), 3, \
    encode(int8send(\(number)) || int8send(:token::bigint), 'hex')::uuid, 1, \(keyHash), '1.0.0', '18.1', \
    'iPhone16,2', 'de-DE'
    """
  }
}
