package import KitsCore
import Postgres

/// Request signing of an app, as one snapshot of the database.
package struct SigningRecord: Sendable {
  /// The database's time of the snapshot: what windows and grace periods are measured by.
  package let now: Timestamp
  package let app: AppID
  package let publicKey: String
  package let signing: AppRecord.Signing
  package let current: SealedSigningSecret?
  /// The one before, while it is still good.
  package let previous: SealedSigningSecret?
}

/// Reads a `SigningRecord` of the app that a query names `a`.
enum SigningRow {
  /// How long a replaced secret is good for (T3); to the microsecond, and not at the end of it.
  static let grace = "interval '48 hours'"

  /// Each column with the name that it has outside of a subquery.
  private static let names = [
    ("now()", "now"), ("a.app_id", "app_id"), ("a.public_key", "public_key"), ("a.signing_mode", "signing_mode"),
    ("a.signing_bucket_seconds", "bucket_seconds"), ("c.secret_no", "current_no"), ("c.sealed_under", "current_under"),
    ("c.secret", "current_secret"), ("c.created_at", "current_created_at"), ("p.secret_no", "previous_no"),
    ("p.sealed_under", "previous_under"), ("p.secret", "previous_secret"), ("p.created_at", "previous_created_at"),
    ("p.replaced_at + \(grace)", "previous_good_until"),
  ]

  static let columns = names.map(\.0).joined(separator: ", ")
  static let aliasedColumns = names.map { "\($0) AS \($1)" }.joined(separator: ", ")
  static let aliases = names.map { "r.\($1)" }.joined(separator: ", ")

  /// The current secret, and the newest of the replaced ones: at most two are ever good.
  static let secrets = """
    LEFT JOIN app_signing_secret c ON c.app_no = a.app_no AND c.replaced_at IS NULL
    LEFT JOIN LATERAL (
      SELECT p.secret_no, p.sealed_under, p.secret, p.created_at, p.replaced_at
      FROM app_signing_secret p
      WHERE p.app_no = a.app_no AND p.replaced_at IS NOT NULL
      ORDER BY p.secret_no DESC
      LIMIT 1
    ) p ON p.replaced_at + \(grace) > now()
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SigningRecord {
    SigningRecord(
      now: Timestamp(microseconds: try row.timestamp()), app: AppID(try row.uuid()), publicKey: try row.string(),
      signing: AppRecord.Signing(mode: try row.known(SigningMode.self), bucketSeconds: try row.int32()),
      current: try secret(&row, isCurrent: true), previous: try secret(&row, isCurrent: false))
  }

  private static func secret(
    _ row: inout RowReader, isCurrent: Bool
  ) throws(PostgresError) -> SealedSigningSecret? {
    let (number, sealedUnder) = (try row.int32OrNil(), try row.stringOrNil())
    let (sealed, createdAt) = (try row.bytesOrNil(), try row.timestampOrNil())
    let goodUntil = isCurrent ? nil : try row.timestampOrNil()
    guard let number, let sealedUnder, let sealed, let createdAt else { return nil }
    return SealedSigningSecret(
      number: number, sealedUnder: sealedUnder, sealed: sealed, createdAt: Timestamp(microseconds: createdAt),
      goodUntil: goodUntil.map(Timestamp.init(microseconds:)))
  }
}
