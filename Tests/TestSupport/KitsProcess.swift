internal import Foundation

/// The built `kits` as a real process whose log goes to a file, so that it can be read at any time.
package final class KitsProcess: Sendable {
  package struct Ending: Sendable, Equatable {
    /// Negative: ended by that signal.
    package let status: Int32
    package let standardOutput: String
    package let standardError: String

    /// A member of the one JSON object that `--json` prints.
    package func field(_ name: String) throws -> String {
      let object = try JSONSerialization.jsonObject(with: Data(standardOutput.utf8)) as? [String: Any]
      guard let value = object?[name] as? String else { throw TestFailure("no \(name) in \(self)") }
      return value
    }
  }

  package let processID: Int32
  private let process: Process
  private let outputFile: String
  private let errorFile: String

  /// - Parameter environment: nothing else is inherited.
  package init(_ arguments: [String], environment: [String: String], input: String? = nil) throws {
    let place = NSTemporaryDirectory() + "kits-process-\(UUID().uuidString)"
    outputFile = place + ".out"
    errorFile = place + ".err"
    process = Process()
    // A preloaded library may change the environment before Swift has found the arguments, which it looks for in front
    // of it. Run through `env`, the program starts with what the library has put there.
    let isPreloaded = environment["LD_PRELOAD"] != nil
    process.executableURL = isPreloaded ? URL(fileURLWithPath: "/usr/bin/env") : Self.program("kits")
    process.arguments = (isPreloaded ? [Self.program("kits").path] : []) + arguments
    process.environment = environment
    process.standardOutput = try Self.file(outputFile)
    process.standardError = try Self.file(errorFile)
    process.standardInput = FileHandle.nullDevice
    if let input {
      try Data(input.utf8).write(to: URL(fileURLWithPath: place + ".in"))
      process.standardInput = FileHandle(forReadingAtPath: place + ".in")
    }
    try process.run()
    processID = process.processIdentifier
  }

  deinit {
    if process.isRunning { Foundation.kill(processID, SIGKILL) }
    for file in [outputFile, errorFile] { unlink(file) }
  }

  /// Runs a command to its end.
  package static func run(
    _ arguments: String..., environment: [String: String] = [:], input: String? = nil
  ) async throws -> Ending {
    try await run(arguments, environment: environment, input: input)
  }

  package static func run(
    _ arguments: [String], environment: [String: String] = [:], input: String? = nil
  ) async throws -> Ending {
    try await KitsProcess(arguments, environment: environment, input: input).ending()
  }

  package func signal(_ number: Int32) { Foundation.kill(processID, number) }

  package var isRunning: Bool { process.isRunning }

  /// What it wrote to its standard error so far.
  package var log: String { Self.read(errorFile) }

  /// Waits for its end, on a thread that may block.
  package func ending() async -> Ending {
    let status = await withCheckedContinuation { continuation in
      Thread { [process] in continuation.resume(returning: process.endedStatus()) }.start()
    }
    return Ending(status: status, standardOutput: Self.read(outputFile), standardError: log)
  }

  /// A program beside the tests: SwiftPM puts all products of a build into one directory.
  private static func program(_ name: String) -> URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(name)
  }

  private static func file(_ path: String) throws -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil), let handle = FileHandle(forWritingAtPath: path)
    else { throw TestFailure("can't make \(path)") }
    return handle
  }

  private static func read(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }
}
