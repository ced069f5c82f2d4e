internal import KitsAPI
internal import KitsCore
internal import KitsStore
internal import Postgres

/// One import from its first row, or from where an earlier one stopped, to its last. While the database adds a batch
/// the next one is read and checked.
struct ImportJob: Sendable {
  let source: ImportSource
  let target: ImportTarget
  let reader: ImportedInstallationReader
  /// Nil for a dry run, which touches nothing.
  let store: ImportStore?
  /// How it is now, and what is added to it.
  let begun: ImportRun

  typealias Adding = Task<Result<ImportRun?, PostgresError>, Never>

  func run(
    _ report: inout ImportReport, _ progress: (ProgressBar) -> Void
  ) async throws(CommandFailure) -> ImportRun {
    var batches = try ImportBatches(source, from: begun, reader: reader)
    var (run, adding) = (begun, Adding?.none)
    while let batch = try batches.next() {
      if let adding { run = try await settled(adding) }
      try report.add(batch.faults)
      progress(bar(run))
      adding = add(batch.rows, to: run, as: Self.next(run, batch))
    }
    if let adding { run = try await settled(adding) }
    var finished = run
    finished.isFinished = true
    finished.position = source.file.size
    run = try await settled(add([], to: run, as: finished))
    progress(bar(run))
    return run
  }

  private static func next(_ run: ImportRun, _ batch: ImportBatches.Batch) -> ImportRun {
    var next = run
    next.position = batch.position
    next.line = batch.line
    next.tally += batch.tally
    for fault in batch.faults { next.faults[fault.code.importCode, default: 0] += 1 }
    return next
  }

  private func add(_ rows: [NewImport], to run: ImportRun, as next: ImportRun) -> Adding {
    Task { [store, target] in
      guard let store else {
        var next = next
        next.tally.imported += Int64(rows.count)
        return .success(next)
      }
      do throws(PostgresError) {
        return .success(try await store.add(rows, to: run, as: next, in: target))
      } catch {
        return .failure(error)
      }
    }
  }

  private func settled(_ adding: Adding) async throws(CommandFailure) -> ImportRun {
    switch await adding.value {
    case .success(let run?): return run
    case .success(nil): throw .refused("another process imports this file into this app")
    case .failure(let error):
      let failure = CommandFailure.database(error)
      throw CommandFailure(
        code: failure.code, message: failure.message + "\nWhat was added stays; --resume goes on from there.")
    }
  }

  private func bar(_ run: ImportRun) -> ProgressBar {
    let refused = run.tally.refused == 0 ? "" : ", \(run.tally.refused) refused"
    return ProgressBar(
      done: Int(run.position), total: Int(source.file.size), note: "bytes, \(run.tally.rows) rows\(refused)")
  }
}
