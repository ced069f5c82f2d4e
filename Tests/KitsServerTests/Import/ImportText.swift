import FoundationEssentials
import Foundation
import KitsAPI
import KitsCore
import KitsStore

@testable import KitsServer

/// A file of a test, read as an import reads it, without a database.
struct ImportText {
  private let path: String
  static let now = KitsCore.Timestamp(microseconds: 1_900_000_000_000_000)

  static func target(_ platforms: [Platform] = [.ios, .android], mode: AuthMode = .basic) -> ImportTarget {
    ImportTarget(
      app: AppNumber(1), environment: EnvironmentNumber(1), platforms: platforms, authMode: mode, now: now)
  }

  static func read(
    _ text: String, format: ImportFormat? = nil, platforms: [Platform] = [.ios, .android],
    externalIDs: ImportedInstallationReader.ExternalIDs = .taken, ignoresUnknown: Bool = false
  ) throws -> [ImportBatches.Batch] {
    try read(
      Array(text.utf8), format: format, platforms: platforms, externalIDs: externalIDs, ignoresUnknown: ignoresUnknown)
  }

  static func read(
    _ bytes: [UInt8], format: ImportFormat? = nil, platforms: [Platform] = [.ios, .android],
    externalIDs: ImportedInstallationReader.ExternalIDs = .taken, ignoresUnknown: Bool = false
  ) throws -> [ImportBatches.Batch] {
    try withFile(bytes) { path in
      let source = try ImportSource(
        try ImportFile(path), ImportSource.Options(format: format, ignoresUnknown: ignoresUnknown),
        platforms: platforms)
      let reader = ImportedInstallationReader(
        target(platforms), externalIDs: externalIDs, refusesUnknown: !ignoresUnknown)
      var batches = try ImportBatches(source, from: ImportRun(fileHash: [], settings: ""), reader: reader)
      var all: [ImportBatches.Batch] = []
      while let batch = try batches.next() { all.append(batch) }
      return all
    }
  }

  static func withFile<R>(_ bytes: [UInt8], _ body: (String) throws -> R) throws -> R {
    let path = NSTemporaryDirectory() + "kits-import-\(UUID().uuidString)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    return try body(path)
  }
}

extension [ImportBatches.Batch] {
  var installations: [ImportedInstallation] { flatMap { $0.rows.map(\.installation) } }
  var tokens: [String] { installations.map(\.pushToken.text) }
  /// `line column code`
  var faults: [String] { flatMap { $0.faults.map { "\($0.line) \($0.column) \($0.code.importCode)" } } }
  var skipped: Int64 { reduce(0) { $0 + $1.tally.skipped } }
}
