internal import KitsStore
internal import Postgres

/// Holds the start back until the database is there, its schema fits and its master keys are ours; closes the
/// connections at the end.
final class DatabaseService: Service {
  let name = "database"
  /// A database that starts together with this process takes some seconds.
  static let patience = Duration.seconds(30)

  private let pools: DatabasePools
  private let health: HealthStore
  private let keys: MasterKeyGuard
  private let telemetry: Telemetry
  /// Why the start was refused; written by `start()`, read at the end.
  private let refused = Locked<CommandFailure?>(nil)
  private let (ended, end) = AsyncStream.makeStream(of: Void.self)

  init(pools: DatabasePools, health: HealthStore, keys: MasterKeyGuard, telemetry: Telemetry) {
    self.pools = pools
    self.health = health
    self.keys = keys
    self.telemetry = telemetry
  }

  var refusal: CommandFailure? { refused.withLock { $0 } }

  func start() async throws {
    let end = ContinuousClock.now + Self.patience
    var pause = Duration.milliseconds(100)
    while true {
      do {
        guard let failure = try await judge() else { return }
        throw Refusal(keep(failure))
      } catch let error as PostgresError {
        let failure = CommandFailure.database(error)
        guard failure.code == .unavailable, ContinuousClock.now < end else { throw Refusal(keep(failure)) }
        telemetry.log(.warning, "database_awaited", [("reason", .string(failure.message))])
      }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(2))
    }
  }

  func run() async throws {
    for await _ in ended {}
  }

  func stop() async {
    await pools.close()
    end.finish()
  }

  /// Nil when this process may work on this database.
  private func judge() async throws(PostgresError) -> CommandFailure? {
    if let failure = CommandFailure.standing(try await health.standing()) { return failure }
    let verdict = try await keys.settle(in: MasterKeyStore(pool: pools.any))
    if case .fits(let missing) = verdict, !missing.isEmpty {
      telemetry.log(.warning, "master_key_missing", [("key_ids", .list(missing))])
    }
    return CommandFailure.masterKeys(verdict)
  }

  private func keep(_ failure: CommandFailure) -> CommandFailure {
    refused.withLock { $0 = failure }
    return failure
  }

  /// Reads as its sentence in the log.
  private struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ failure: CommandFailure) {
      description = failure.message
    }
  }
}
