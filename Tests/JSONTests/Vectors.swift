import Foundation

/// Files that others published, kept beside the tests.
enum Vectors {
  static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: directory.appending(path: path)))
  }

  static func names(in path: String, prefix: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: path).path)
      .filter { $0.hasPrefix(prefix) }.sorted()
  }
}
