import Foundation
import TestSupport

/// The built `kits`, run as a real process.
struct ChildProcess {
  struct Ending: Equatable {
    let status: Int32
    let standardOutput: String
    let standardError: String
  }

  let process = Process()
  private let output = Pipe()
  private let errors = Pipe()

  static var program: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("kits")
  }

  /// - Parameters:
  ///   - environment: nothing else is inherited.
  ///   - replacement: takes the standard output, of which nothing is read then.
  init(_ arguments: [String], environment: [String: String] = [:], output replacement: FileHandle? = nil) throws {
    process.executableURL = Self.program
    process.arguments = arguments
    process.environment = environment
    if let replacement {
      process.standardOutput = replacement
      try output.fileHandleForWriting.close()
    } else {
      process.standardOutput = output
    }
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// Reads stderr until `marker` has appeared; what was read is returned and gone.
  func readErrors(until marker: String) -> String {
    var text = ""
    while !text.contains(marker) {
      let data = errors.fileHandleForReading.availableData
      if data.isEmpty { return text }
      text += String(decoding: data, as: UTF8.self)
    }
    return text
  }

  /// Waits for the end. Outputs here are far smaller than a pipe's buffer.
  func ending() -> Ending {
    let status = process.endedStatus()
    let outputData = output.fileHandleForReading.readDataToEndOfFile()
    let errorData = errors.fileHandleForReading.readDataToEndOfFile()
    return Ending(
      status: status,
      standardOutput: String(decoding: outputData, as: UTF8.self),
      standardError: String(decoding: errorData, as: UTF8.self))
  }
}
