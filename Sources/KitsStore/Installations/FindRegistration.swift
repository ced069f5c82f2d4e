package import KitsCore
import Postgres

extension Registration {
  /// What was registered under a key within 24 hours.
  package enum Earlier: Sendable {
    case installation(Installation)
    /// Nothing: the key is free, or there was none.
    case none
    case deletedSince
    case unknownPublicKey
  }
}

/// Looks a registration up by its key, without registering.
struct FindRegistration: Statement {
  let publicKey: String
  let keyHash: [UInt8]?

  static let sql = """
    SELECT g.app_no IS NOT NULL, i.app_no IS NOT NULL, \(InstallationRow.ownsToken), \(InstallationRow.columns)
    FROM app a
    LEFT JOIN registration g
      ON g.app_no = a.app_no AND g.key_hash = $2 AND g.created_at > now() - interval '24 hours'
    LEFT JOIN installation i ON i.app_no = g.app_no AND i.installation_no = g.installation_no
    WHERE a.public_key = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(publicKey)
    parameters.add(keyHash)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Registration.Earlier {
    let isKnown = try row.bool()
    let isThere = try row.bool()
    guard isKnown else { return .none }
    return isThere ? .installation(try InstallationRow.decode(&row)) : .deletedSince
  }
}
