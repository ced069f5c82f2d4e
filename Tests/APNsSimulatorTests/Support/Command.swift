import Foundation
import TestSupport

/// Another program, run to its end.
struct Command: Sendable {
  let status: Int32
  let text: String

  /// - Parameter errors: whether the text includes standard error.
  static func run(_ path: String, _ arguments: [String], errors: Bool = true) async throws -> Command {
    try await withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(with: Result { try runHere(path, arguments, errors) })
      }.start()
    }
  }

  private static func runHere(_ path: String, _ arguments: [String], _ errors: Bool) throws -> Command {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = errors ? output : FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    return Command(status: process.endedStatus(), text: String(decoding: data, as: UTF8.self))
  }
}
