package import KitsCore
package import Postgres

/// Environments: their policy and the keys that verify their users.
package struct EnvironmentStore: Sendable {
  private let pool: ConnectionPool
  /// Two calls that add the same key meet at most once; more is a fault of ours.
  private static let addingAttempts = 3

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  /// False when there is no such project.
  package func create(
    _ environment: EnvironmentID, name: String, in project: ProjectID, by call: AuditedCall
  ) async throws(PostgresError) -> Bool {
    let statement = CreateEnvironment(project: project, environment: environment, name: name, call: call)
    return try await pool.first(statement) != nil
  }

  package func environments() async throws(PostgresError) -> [EnvironmentRecord] {
    try await pool.run(ListEnvironments(place: nil))
  }

  /// Nil when there is none.
  package func environment(
    _ place: EnvironmentPlace, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> EnvironmentRecord? {
    try await pool.first(ListEnvironments(place: place), deadline: deadline)
  }

  /// What became of the change and what the environment is now; nil when there is none.
  package func change(
    _ place: EnvironmentPlace, _ change: EnvironmentPolicy.Change, by call: AuditedCall,
    deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> (outcome: EnvironmentPolicy.Outcome, environment: EnvironmentRecord)? {
    try await pool.first(ChangeEnvironment(place: place, change: change, call: call), deadline: deadline)
  }

  // MARK: Identity keys

  /// Nil when there is no such environment.
  package func addKey(
    _ id: IdentityKeyID, spki: [UInt8], to place: EnvironmentPlace, by call: AuditedCall,
    deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> IdentityKeyRecord.Registration? {
    for _ in 0..<Self.addingAttempts {
      let rows = try await pool.run(AddIdentityKey(place: place, id: id, spki: spki, call: call), deadline: deadline)
      guard let first = rows.first else { return nil }
      let found = rows.compactMap(\.found)
      if let answer = Self.registration(id, spki, found) { return answer }
      if !first.isRoomLeft { return .tooMany }
    }
    throw .decode("identity_key: a key that is neither added nor there")
  }

  private static func registration(
    _ id: IdentityKeyID, _ spki: [UInt8], _ found: [(isNew: Bool, key: IdentityKeyRecord)]
  ) -> IdentityKeyRecord.Registration? {
    if let new = found.first(where: \.isNew) { return .added(new.key) }
    let keys = found.map(\.key)
    if let same = keys.first(where: { $0.id == id }) {
      return same.spki == spki && same.revokedAt == nil ? .present(same) : .idTaken
    }
    return keys.first.map { .keyTaken(by: $0.id) }
  }

  /// Oldest first, revoked ones too; nil when there is no such environment.
  package func keys(
    of place: EnvironmentPlace, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> [IdentityKeyRecord]? {
    let rows = try await pool.run(ListIdentityKeys(place: place), deadline: deadline)
    return rows.isEmpty ? nil : rows.compactMap { $0 }
  }

  /// Nil when there is no such key.
  package func revokeKey(
    _ id: IdentityKeyID, of place: EnvironmentPlace, by call: AuditedCall, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> IdentityKeyRecord? {
    try await pool.first(RevokeIdentityKey(place: place, id: id, call: call), deadline: deadline)
  }
}
