internal import Crypto
internal import JSON
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits identity-key list`
enum ListIdentityKeys {
  private static let columns = ["key_id", "fingerprint", "created_at", "revoked_at"]

  @Sendable static func run(_ invocation: Invocation) async throws {
    let environment: EnvironmentID = try OperatorInput.id(
      invocation.arguments.required("environment"), "--environment")
    let keys = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await EnvironmentStore(pool: pool).keys(of: .id(environment))
    }
    guard let keys else { throw CommandFailure.refused("there is no environment \(environment)") }
    try invocation.output.print(.table("keys", columns: columns, rows: keys.map(row)))
  }

  static func report(_ key: IdentityKeyRecord) -> Report {
    Report(Array(zip(columns, row(key))))
  }

  private static func row(_ key: IdentityKeyRecord) -> [Report.Value] {
    [
      .string(key.id.text), .string(Hex.encode(SHA256.hash(key.spki))),
      .string(RFC3339.format(key.createdAt.microseconds)),
      key.revokedAt.map { .string(RFC3339.format($0.microseconds)) } ?? .null,
    ]
  }
}
