import Foundation
import JSON

/// A file of test data that others published; see the SOURCE.md beside it.
enum VectorFile {
  static func json(_ path: String) throws -> JSONValue {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try JSON.parse([UInt8](Data(contentsOf: root.appending(path: "Vectors/\(path)"))))
  }
}
