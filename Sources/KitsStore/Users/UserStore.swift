package import KitsCore
package import Postgres

/// Users as a customer's backend names them: what is bound to one, and its erasure.
package struct UserStore: Sendable {
  private let pool: ConnectionPool

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  /// The newest first; `before` is where the page before ended.
  package func installations(
    of user: ExternalID, in environment: EnvironmentNumber, before: InstallationID? = nil, limit: Int32,
    deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> [UserInstallation] {
    let statement = ListUserInstallations(environment: environment, user: user, before: before, limit: limit)
    return try await pool.run(statement, deadline: deadline)
  }

  /// Nil when there is no such environment.
  package func erase(
    _ user: ExternalID, in environment: EnvironmentNumber, call: AuditedCall,
    deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> UserErasure? {
    do {
      return try await pool.transaction(deadline: deadline) { transaction in
        _ = try await transaction.run(LockUser(environment: environment, user: user))
        return try await transaction.run(EraseUser(environment: environment, user: user, call: call)).first
      }
    } catch let error as PostgresError {
      throw error
    } catch {
      // `transaction` throws what its body throws, and that throws nothing else.
      throw .unavailable("\(error)")
    }
  }

  /// For operators, who name an environment by its public id.
  package func environment(_ id: EnvironmentID) async throws(PostgresError) -> EnvironmentNumber? {
    try await pool.first(FindEnvironment(environment: id))
  }
}
