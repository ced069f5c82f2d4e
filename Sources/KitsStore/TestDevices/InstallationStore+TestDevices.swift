package import KitsCore
package import Postgres

/// Test devices (table: test_device).
extension InstallationStore {
  /// Nil when there is no such installation.
  ///
  /// - Parameter environment: nil at the command line, which reaches all.
  package func addTestDevice(
    _ id: InstallationID, in environment: EnvironmentNumber?, call: AuditedCall,
    deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> TestDevice.Marking? {
    try await pool.first(AddTestDevice(environment: environment, id: id, call: call), deadline: deadline)
  }

  /// Whether it was marked; nil when there is no such installation.
  package func removeTestDevice(
    _ id: InstallationID, in environment: EnvironmentNumber?, call: AuditedCall,
    deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> Bool? {
    try await pool.first(RemoveTestDevice(environment: environment, id: id, call: call), deadline: deadline)
  }

  /// The newest installation first.
  package func testDevices(
    in environment: EnvironmentNumber, app: AppID?, before: InstallationID?, limit: Int32,
    deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [TestDevice] {
    let statement = ListTestDevices(
      environment: nil, environmentNumber: environment, app: app, before: before, limit: limit)
    return try await pool.run(statement, deadline: deadline)
  }

  /// For operators, who name an environment by its public id.
  package func testDevices(
    in environment: EnvironmentID, app: AppID?, limit: Int32
  ) async throws(PostgresError) -> [TestDevice] {
    try await pool.run(
      ListTestDevices(environment: environment, environmentNumber: nil, app: app, before: nil, limit: limit))
  }
}
