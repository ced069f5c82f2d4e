import Foundation

/// Small files.
enum TextFile {
  /// Empty when there is none.
  static func read(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  static func write(_ text: String, to path: String) throws(BenchError) {
    do {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw BenchError("\(path): \(error)")
    }
  }
}
