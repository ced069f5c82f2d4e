import Glibc
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits dev populate`
enum PopulateApp {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let app: AppID = try OperatorInput.id(arguments.required("app"), "--app")
    guard let count = Int(try arguments.required("N")), Limits.populationSize.contains(count) else {
      throw CommandFailure.usage("N must be a number from 1 to \(Limits.populationSize.upperBound)")
    }
    guard let seed = UInt64(arguments.value("seed") ?? "1") else {
      throw CommandFailure.usage("--seed must be a number from 0 to \(UInt64.max)")
    }
    let database = try Settings.database(invocation)
    let output = invocation.output
    let terminal = Terminal.of(STDERR_FILENO, environment: invocation.environment)
    let found = try await OperatorDatabase.use(database) { (pool) async throws(PostgresError) in
      let store = ImportStore(pool: pool)
      guard let target = try await store.target(app), target.platforms.contains(.ios) else { return ImportTally?.none }
      var printer = ProgressPrinter(terminal, write: output.standardError)
      defer { printer.finish() }
      return try await populate(count, Population(seed: seed, target: target), store) { done in
        if output.form == .text { printer.show(ProgressBar(done: done, total: count, note: "installations")) }
      }
    }
    guard let tally = found else { throw CommandFailure.refused("there is no app \(app) that runs on iOS") }
    try output.print(
      Report([
        ("seed", .string("\(seed)")), ("added", .integer(Int(tally.imported))),
        ("existing", .integer(Int(tally.existing))),
      ]), else: "The installations were made.")
  }

  /// While the database adds some the next ones are made.
  private static func populate(
    _ count: Int, _ population: Population, _ store: ImportStore, _ progress: (Int) -> Void
  ) async throws(PostgresError) -> ImportTally {
    var (tally, made) = (ImportTally(), 0)
    var adding: Task<Result<ImportTally, PostgresError>, Never>?
    while made < count {
      let range = made..<min(count, made + Limits.importBatchRows)
      let rows = range.map { population.installation($0) }.map {
        NewImport(id: OperatorInput.newID(), bindingID: OperatorInput.newID(), installation: $0)
      }
      if let adding { tally += try await adding.value.get() }
      progress(range.lowerBound)
      adding = Task {
        do throws(PostgresError) {
          return .success(try await store.add(rows, in: population.target))
        } catch {
          return .failure(error)
        }
      }
      made = range.upperBound
    }
    if let adding { tally += try await adding.value.get() }
    progress(count)
    return tally
  }
}
