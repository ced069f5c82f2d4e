/// Many installations, written in one statement each for rows and token owners.
struct Audience {
  let stage: Stage
  let app: BenchApp

  /// Adds what is missing of `count`.
  func load(_ count: Int) throws(BenchError) {
    let number = try stage.keys(app).number
    let there = try stage.database.number("SELECT count(*) FROM installation WHERE app_no = \(number)")
    guard there < count else { return }
    Progress.say("loading \(count - there) installations")
    try stage.database.rows(
      """
      WITH added AS (
        INSERT INTO installation (
          app_no, installation_no, installation_id, platform, apns_environment, push_token, token_state,
          token_registered_at, permission, binding_id, state_revision, state_hash, app_version, os_version, model,
          language
        )
        SELECT \(number), n.no, encode(int8send(n.no) || int8send(n.no), 'hex')::uuid, 1, \(app.isNoted ? 2 : 1),
          encode(sha256(int8send(n.no)), 'hex'), 1, now(), 3, gen_random_uuid(), 1, sha256(int8send(n.no)), '1.0.0',
          '18.1', 'iPhone16,2', CASE n.no % 4 WHEN 0 THEN 'en' WHEN 1 THEN 'de-DE' WHEN 2 THEN 'ja' ELSE 'fr-FR' END
        FROM (SELECT nextval('installation_no_seq') AS no FROM generate_series(1, \(count - there))) n
        RETURNING app_no, push_token, installation_no, token_registered_at
      )
      INSERT INTO token_owner (app_no, token, installation_no, registered_at)
      SELECT app_no, push_token, installation_no, token_registered_at
      FROM added
      """)
    try stage.database.rows("VACUUM (ANALYZE) installation")
    try stage.database.rows("VACUUM (ANALYZE) token_owner")
    try stage.database.rows("CHECKPOINT")
  }

  /// Ids and push tokens of some devices.
  func devices(_ count: Int) throws(BenchError) -> [(id: String, token: String)] {
    let rows = try stage.database.rows(
      """
      SELECT installation_id, push_token
      FROM installation
      WHERE app_no = \(stage.keys(app).number)
      ORDER BY installation_no
      LIMIT \(count)
      """)
    return rows.map { (id: $0[0], token: $0[1]) }
  }
}
