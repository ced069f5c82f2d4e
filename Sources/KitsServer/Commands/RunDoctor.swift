internal import KitsStore
internal import Postgres

/// `kits doctor`
enum RunDoctor {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let config = try Settings.all(invocation)
    let ring = try config.masterKeys.ring()
    var configuration = PoolConfiguration(url: config.database.url.reveal())
    configuration.size = 1
    configuration.applicationName = "kits doctor"
    let pool = ConnectionPool(configuration)
    let findings = await Doctor(config: config, ring: ring, health: HealthStore(pool: pool)).examine()
    await pool.close()
    let result = DoctorReport(findings: findings)
    if invocation.output.form == .text {
      try invocation.output.standardOutput(result.text)
    } else {
      try invocation.output.print(result.report)
    }
    let count = result.needingAction.count
    guard count == 0 else { throw CommandFailure.refused(count == 1 ? "1 finding" : "\(count) findings") }
  }
}
