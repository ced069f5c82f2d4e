import Foundation
import Testing

/// The `openssl` program: makes the keys that people paste by mistake, so that none has to lie in the repository, and
/// checks what is signed here.
enum OpenSSLCommand {
  /// Runs `openssl` in a directory of its own; returns what it printed.
  @discardableResult
  static func run(_ arguments: [String], files: [String: [UInt8]] = [:]) throws -> String {
    let directory = FileManager.default.temporaryDirectory.appending(path: "crypto-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    for (name, bytes) in files { try Data(bytes).write(to: directory.appending(path: name)) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = directory
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "openssl \(arguments)")
    return String(decoding: data, as: UTF8.self)
  }

  static func privateKey(curve: String, parameters: String = "named_curve") throws -> String {
    try run([
      "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-pkeyopt",
      "ec_param_enc:\(parameters)",
    ])
  }

  static func publicKey(of privateKey: String, _ options: String...) throws -> String {
    try run(["pkey", "-in", "key.pem", "-pubout"] + options, files: ["key.pem": Array(privateKey.utf8)])
  }
}
