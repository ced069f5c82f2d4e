internal import JSON
internal import KitsAPI
internal import KitsCore
internal import KitsStore

/// The rows of a file as batches for the store, each read and checked as a whole.
struct ImportBatches {
  private let columns: (any ImportColumns)?
  private let reader: ImportedInstallationReader
  private var records: any ImportRecords

  /// Faults of one row that are told.
  private static let faultsPerRow = 8

  struct Batch: Sendable {
    var rows: [NewImport] = []
    /// But for what the store finds out.
    var tally = ImportTally()
    var faults: [ImportFault] = []
    /// What is read once it is added.
    var position: Int64 = 0
    var line: Int64 = 0
  }

  init(_ source: ImportSource, from run: ImportRun, reader: ImportedInstallationReader) throws(CommandFailure) {
    columns = source.columns
    records = try source.records(from: run.position, line: run.line)
    self.reader = reader
  }

  /// Nil at the end of the file.
  mutating func next() throws(CommandFailure) -> Batch? {
    var batch = Batch()
    batch.rows.reserveCapacity(Limits.importBatchRows)
    while batch.tally.rows < Limits.importBatchRows, let record = try records.next() {
      batch.tally.rows += 1
      switch row(record) {
      case .object(let value): read(value, record.line, &batch)
      case .skipped: batch.tally.skipped += 1
      case .broken(let column, let code, let detail):
        batch.tally.refused += 1
        batch.faults.append(ImportFault(line: record.line, column: column, code: code, detail: detail))
      }
    }
    guard batch.tally.rows > 0 else { return nil }
    batch.position = records.window.position
    batch.line = records.line
    return batch
  }

  private func row(_ record: ImportRecord) -> ImportRow {
    switch record.content {
    case .broken(let code, let detail): return .broken(column: "", code, detail)
    case .text(let bytes):
      do {
        return .object(try JSON.parse(bytes))
      } catch {
        return .broken(column: "", .badFormat, "It is not a JSON object: \(error.message)")
      }
    case .cells(let cells):
      guard let columns else { return .broken(column: "", .badFormat, "It is not a JSON object.") }
      guard cells.count == columns.count else {
        let detail = "It has \(cells.count) cells where the first line has \(columns.count)."
        return .broken(column: "", cells.count < columns.count ? .tooFew : .tooMany, detail)
      }
      let texts = cells.compactMap { $0 }
      guard texts.count == cells.count else { return .broken(column: "", .badFormat, "It is not UTF-8.") }
      return columns.row(texts)
    }
  }

  private func read(_ value: JSONValue, _ line: Int64, _ batch: inout Batch) {
    let faults = FaultCollector()
    guard let installation = reader.read(value, into: faults) else {
      batch.tally.refused += 1
      for fault in faults.faults.prefix(Self.faultsPerRow) {
        let name = columns?.name(of: fault.pointer) ?? fault.pointer
        batch.faults.append(ImportFault(line: line, column: name, code: fault.code, detail: fault.detail))
      }
      return
    }
    batch.rows.append(
      NewImport(id: OperatorInput.newID(), bindingID: OperatorInput.newID(), installation: installation))
  }
}
