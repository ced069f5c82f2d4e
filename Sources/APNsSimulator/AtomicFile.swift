import Foundation

/// Files that others wait for: they are either absent or whole.
enum AtomicFile {
  static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}
