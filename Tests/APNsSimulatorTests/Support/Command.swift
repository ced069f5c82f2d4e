import Foundation

/// Another program, run to its end.
struct Command: Sendable {
  let status: Int32
  let text: String

  static func run(_ path: String, _ arguments: [String]) async throws -> Command {
    try await withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(with: Result { try runHere(path, arguments) })
      }.start()
    }
  }

  private static func runHere(_ path: String, _ arguments: [String]) throws -> Command {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Command(status: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
  }
}
