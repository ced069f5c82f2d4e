import Foundation
import TestSupport

/// The wall clock of some processes, which a test can set. Their monotonic clocks go on as they are.
struct NodeClock: Sendable {
  private let file: String

  init() throws {
    file = NSTemporaryDirectory() + "kits-clock-\(UUID().uuidString)"
    try step(to: 0)
  }

  /// What a process needs to go by this clock.
  var settings: [String: String] {
    get throws {
      let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").map { "/usr/lib/\($0)" }
      let libraries = folders.map { "\($0)/faketime/libfaketimeMT.so.1" }
      guard let library = libraries.first(where: FileManager.default.fileExists) else {
        throw TestFailure("libfaketime is not installed: run deploy/install-packages")
      }
      return [
        "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
      ]
    }
  }

  /// Sets it to so many seconds before or after the real time, at once.
  func step(to offset: Int) throws {
    try Data("\(offset < 0 ? "" : "+")\(offset)".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
  }

  func remove() { try? FileManager.default.removeItem(atPath: file) }
}
