import KitsCore
import Postgres

/// Looks server keys up by their SHA-256. Not cached anywhere: a revoked key is refused at once.
struct AuthenticateServerKeys: Statement {
  let hashes: [[UInt8]]

  static let sql = """
    SELECT (r.ord - 1)::integer, k.key_id, k.environment_no, k.scopes, k.role
    FROM unnest($1::bytea[]) WITH ORDINALITY AS r (hash, ord)
    CROSS JOIN LATERAL (
      SELECT k.key_id, k.environment_no, k.scopes, k.role
      FROM server_key k
      WHERE k.hash = r.hash AND k.revoked_at IS NULL
      LIMIT 1
    ) k
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(hashes)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> (Int, ServerKeyPrincipal) {
    (Int(try row.int32()), try ServerKeyPrincipal.decode(&row))
  }
}
