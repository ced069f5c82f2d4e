import Foundation
import TestSupport

/// Debian's curl: a real HTTP/2 client, one process per call, one connection per process as long as the server lets it.
struct Curl {
  struct Answer: Equatable {
    /// curl's own result; 0 when there was a complete answer.
    var result = 0
    var status = 0
    var connects = 0
    var id: String?
    var uniqueID: String?
    var body = ""

    var reason: String? {
      let object = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
      return object?["reason"] as? String
    }
  }

  let simulator: SimulatorProcess

  func send(_ push: Push) async throws -> Answer {
    try await send([push])[0]
  }

  /// One after the other, on one connection while that lasts.
  func send(_ pushes: [Push], seconds: Int = 20, arguments: [String] = []) async throws -> [Answer] {
    let directory = NSTemporaryDirectory() + "curl-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var configuration: [String] = []
    for (index, push) in pushes.enumerated() {
      let file = "\(directory)/\(index)"
      try push.body.write(toFile: file + ".in", atomically: true, encoding: .utf8)
      configuration.append(entry(push, file: file, seconds: seconds))
    }
    let path = directory + "/config"
    try configuration.joined(separator: "next\n").write(toFile: path, atomically: true, encoding: .utf8)
    let output = try await Command.run("/usr/bin/curl", arguments + ["-K", path], errors: false)
    let lines = output.text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
    return try pushes.indices.map { index in
      guard let line = lines.first(where: { $0.first == index }), line.count == 4 else {
        throw SimulatorProcess.Failure(description: "curl said: \(output.text)")
      }
      let text = (try? String(contentsOfFile: "\(directory)/\(index)", encoding: .utf8)) ?? ""
      return parse(text, Answer(result: line[1], status: line[2], connects: line[3]))
    }
  }

  private func entry(_ push: Push, file: String, seconds: Int) -> String {
    let host = push.authority == "localhost" ? "localhost" : push.authority
    var lines = [
      "url = \"https://\(host):\(simulator.port)\(push.path)\"", "request = \"\(push.method)\"", "http2",
      "cacert = \"\(simulator.certificateFile)\"", "resolve = \"\(host):\(simulator.port):127.0.0.1\"",
      "include", "output = \"\(file)\"", "max-time = \(seconds)", "silent",
      "write-out = \"\(URL(fileURLWithPath: file).lastPathComponent) %{exitcode} %{http_code} %{num_connects}\\n\"",
    ]
    if push.method != "GET" { lines.append("data-binary = \"@\(file).in\"") }
    lines += push.headers.map { "header = \"\($0.name): \($0.value)\"" }
    return lines.joined(separator: "\n") + "\n"
  }

  private func parse(_ text: String, _ answer: Answer) -> Answer {
    var answer = answer
    let parts = text.components(separatedBy: "\r\n\r\n")
    answer.body = parts.dropFirst().joined(separator: "\r\n\r\n")
    for line in parts[0].components(separatedBy: "\r\n") {
      if line.hasPrefix("apns-id: ") { answer.id = String(line.dropFirst("apns-id: ".count)) }
      if line.hasPrefix("apns-unique-id: ") { answer.uniqueID = String(line.dropFirst("apns-unique-id: ".count)) }
    }
    return answer
  }
}
