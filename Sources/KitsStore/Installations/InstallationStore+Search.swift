package import Postgres

extension InstallationStore {
  /// A page, the newest first. Each kind of search begins where the fewest rows are: none reads all of a million.
  package func search(
    _ search: InstallationSearch, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [FoundInstallation] {
    if search.tokenSuffix != nil {
      return try await pool.run(SearchInstallationsByToken(search: search), deadline: deadline)
    }
    if search.user != nil { return try await pool.run(SearchInstallationsByUser(search: search), deadline: deadline) }
    if search.isTestDevice == true { return try await pool.run(SearchTestDevices(search: search), deadline: deadline) }
    return try await pool.run(ListInstallations(search: search), deadline: deadline)
  }
}
