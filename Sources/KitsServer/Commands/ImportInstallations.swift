internal import Crypto
import Glibc
internal import KitsAPI
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits import installations`
enum ImportInstallations {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let app: AppID = try OperatorInput.id(arguments.required("app"), "--app")
    let path = try arguments.required("FILE")
    let database = try Settings.database(invocation)
    let result = try await OperatorDatabase.use(database) { (pool) async throws(PostgresError) in
      let store = ImportStore(pool: pool)
      guard let target = try await store.target(app) else {
        return Result<ImportRun, CommandFailure>.failure(.refused("there is no app \(app)"))
      }
      do throws(CommandFailure) {
        return .success(try await perform(path, into: target, store, invocation))
      } catch {
        return .failure(error)
      }
    }
    let run = try result.get()
    let isDry = arguments.has("dry-run")
    try invocation.output.print(report(run, isDry: isDry), else: "The file was imported.")
    guard run.tally.refused == 0 else {
      throw CommandFailure.refused(
        "\(run.tally.refused) of \(run.tally.rows) rows \(isDry ? "would be" : "were") refused; the others "
          + (isDry ? "are fine" : "were imported"))
    }
  }

  private static func perform(
    _ path: String, into target: ImportTarget, _ store: ImportStore, _ invocation: Invocation
  ) async throws(CommandFailure) -> ImportRun {
    let (arguments, output) = (invocation.arguments, invocation.output)
    let file = try ImportFile(path)
    let ignoresUnknown = arguments.has("ignore-unknown")
    let options = ImportSource.Options(
      format: arguments.value("format").flatMap(ImportFormat.init(rawValue:)), ignoresUnknown: ignoresUnknown)
    let source = try ImportSource(file, options, platforms: target.platforms)
    if let ignored = source.columns?.ignored, !ignored.isEmpty {
      output.remark("left out: " + ignored.map(LogText.escaped).joined(separator: ", "))
    }
    let externalIDs = externalIDs(arguments, target)
    let fresh = ImportRun(fileHash: try file.hash(), settings: settings(source.format, externalIDs, ignoresUnknown))
    let isDry = arguments.has("dry-run")
    let begun = isDry ? fresh : try await begin(fresh, target, store, invocation)
    guard begun.settings == fresh.settings else {
      throw .refused("the import was begun otherwise (\(begun.settings)): give it the same options, or start over")
    }
    if begun.isFinished {
      output.remark("the file was imported before; nothing is left to do")
      return begun
    }
    var report = try ImportReport(path: arguments.value("report"), continues: begun.position > 0)
    let terminal = Terminal.of(STDERR_FILENO, environment: invocation.environment)
    var printer = ProgressPrinter(terminal, write: output.standardError)
    let job = ImportJob(
      source: source, target: target,
      reader: ImportedInstallationReader(target, externalIDs: externalIDs, refusesUnknown: !ignoresUnknown),
      store: isDry ? nil : store, begun: begun)
    defer {
      printer.finish()
      for fault in report.shown { output.remark(fault.sentence) }
    }
    // Scripts get the result alone.
    let run = try await job.run(&report) { bar in if output.form == .text { printer.show(bar) } }
    try report.close()
    return run
  }

  /// Goes on with what is known of the file, or begins it.
  private static func begin(
    _ fresh: ImportRun, _ target: ImportTarget, _ store: ImportStore, _ invocation: Invocation
  ) async throws(CommandFailure) -> ImportRun {
    let arguments = invocation.arguments
    do throws(PostgresError) {
      let known = try await store.run(of: fresh.fileHash, in: target)
      if arguments.has("resume"), let known { return known }
      if let known, !known.isFinished {
        invocation.output.remark("an import of this file was not finished: it starts over; --resume goes on with it")
      }
      try await store.begin(fresh, in: target, by: .commandLine(.installationsImported))
      return fresh
    } catch {
      throw CommandFailure.database(error)
    }
  }

  /// Who a user is must be proven where tokens prove it, unless the operator vouches for the file.
  private static func externalIDs(
    _ arguments: Arguments, _ target: ImportTarget
  ) -> ImportedInstallationReader.ExternalIDs {
    if arguments.has("anonymous") { return .left }
    return target.authMode == .basic || arguments.has("trust-external-ids") ? .taken : .refused
  }

  private static func settings(
    _ format: ImportFormat, _ externalIDs: ImportedInstallationReader.ExternalIDs, _ ignoresUnknown: Bool
  ) -> String {
    "format \(format.rawValue), external ids \(externalIDs), unknown \(ignoresUnknown ? "ignored" : "refused")"
  }

  private static func report(_ run: ImportRun, isDry: Bool) -> Report {
    let tally = run.tally
    return Report([
      ("file", .string(Hex.encode(run.fileHash))), ("dry_run", .flag(isDry)), ("rows", .integer(Int(tally.rows))),
      ("imported", .integer(Int(tally.imported))), ("existing", .integer(Int(tally.existing))),
      ("skipped", .integer(Int(tally.skipped))), ("refused", .integer(Int(tally.refused))),
      ("erased", .integer(Int(tally.erased))),
      (
        "faults",
        .object(run.faults.sorted { $0.key < $1.key }.map { Report.Field($0.key, .integer(Int($0.value))) })
      ),
    ])
  }
}
