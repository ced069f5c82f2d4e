import Foundation
import JSON

/// JSON files named on the command line.
enum ConfigurationFile {
  static func read(_ path: String) throws -> JSONValue {
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    do {
      return try JSON.parse(bytes)
    } catch {
      throw UsageError("\(path): \(error.message) (at byte \(error.byteOffset))")
    }
  }

  static func check(_ faults: FaultCollector, file: String) throws(UsageError) {
    guard let first = faults.faults.first else { return }
    throw UsageError("\(file): \(first.pointer): \(first.detail)")
  }
}
