import Foundation
import TestSupport
import Testing

@testable import KitsServer

@Suite("The kits process")
struct ProcessTests {
  static let environment = ConfigTests.minimal.merging(
    ["KITS_LISTEN": "127.0.0.1:0", "KITS_ADMIN_LISTEN": "127.0.0.1:0", "KITS_LOG_LEVEL": "debug"]) { $1 }

  @Test("version prints the version, in every form")
  func version() throws {
    #expect(try ChildProcess(["version", "--field", "version"]).ending().standardOutput == "\(Version.text)\n")
    #expect(
      try ChildProcess(["version", "--json"]).ending()
        == .init(status: 0, standardOutput: "{\"version\":\"\(Version.text)\"}\n", standardError: ""))
  }

  @Test("A wrong command line ends with 64 and help goes to stdout with 0")
  func usage() throws {
    #expect(
      try ChildProcess(["migarte"]).ending()
        == .init(
          status: 64, standardOutput: "",
          standardError: "kits: unknown command `migarte` for `kits`; did you mean `migrate`?\nTry `kits --help`.\n"))
    let help = try ChildProcess(["--help"]).ending()
    #expect(help.status == 0 && help.standardOutput.hasPrefix("Usage: kits COMMAND\n") && help.standardError.isEmpty)
  }

  @Test("check-config ends with 78 and all problems, or prints the values without secrets")
  func checkConfig() throws {
    let bad = try ChildProcess(["check-config"], environment: ["KITS_DRAIN_SECONDS": "x"]).ending()
    #expect(bad.status == 78)
    #expect(bad.standardError.split(separator: "\n").count == 4)
    let good = try ChildProcess(["check-config", "--json"], environment: Self.environment).ending()
    #expect(good.status == 0)
    let object = try JSONSerialization.jsonObject(with: Data(good.standardOutput.utf8)) as? [String: Any]
    #expect(object?["database_url"] as? String == "<redacted>")
    #expect(object?["drain_seconds"] as? Int == 25)
  }

  /// A serving process and the port of its admin address, read from its log.
  static func serve(_ url: String) throws -> (child: ChildProcess, adminPort: UInt16) {
    let child = try ChildProcess(["serve"], environment: environment.merging(["KITS_DATABASE_URL": url]) { $1 })
    let log = child.readErrors(until: "\"service_started\",\"service\":\"api\"")
    let port = log.split(separator: "\"listener\":\"admin\",\"port\":").dropFirst().first?.prefix { $0.isNumber }
    return (child, try #require(port.flatMap { UInt16($0) }, "log: \(log)"))
  }

  @Test("SIGTERM and SIGINT drain the process and end it with 0", arguments: [SIGTERM, SIGINT])
  func termination(signal: Int32) async throws {
    try await withDatabase { url in
      let (child, port) = try Self.serve(url)
      #expect(try SocketClient.get("/healthz", port: port).status == 200)
      #expect(try SocketClient.get("/readyz", port: port).status == 200)
      kill(child.process.processIdentifier, signal)
      let ending = child.ending()
      #expect(ending.status == 0)
      let lines = ending.standardError.split(separator: "\n")
      #expect(lines.contains { $0.contains("\"signal_received\",\"signal\":\(signal)") })
      #expect(lines.last?.hasSuffix("\"event\":\"process_finished\",\"exit_code\":0}") == true)
      for line in lines {
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
      }
    }
  }

  @Test("A second signal ends the process at once with the status of the signal")
  func secondSignal() async throws {
    try await withDatabase { url in
      let (child, port) = try Self.serve(url)
      // A line for each request fills the unread pipe, so that the last flush takes its full two seconds.
      for _ in 0..<400 { _ = try SocketClient.get("/healthz", port: port) }
      kill(child.process.processIdentifier, SIGSTOP)
      kill(child.process.processIdentifier, SIGTERM)
      kill(child.process.processIdentifier, SIGINT)
      kill(child.process.processIdentifier, SIGCONT)
      #expect([128 + SIGTERM, 128 + SIGINT].contains(child.ending().status))
    }
  }

  @Test("A port in use ends serve with 1 and says so")
  func portTaken() async throws {
    try await withDatabase { url in
      let (child, port) = try Self.serve(url)
      let second = try ChildProcess(
        ["serve"], environment: Self.environment.merging(["KITS_ADMIN_LISTEN": "127.0.0.1:\(port)"]) { $1 }
      ).ending()
      #expect(second.status == 1)
      #expect(second.standardError.contains("\"service_failed\",\"service\":\"admin\""))
      kill(child.process.processIdentifier, SIGTERM)
      #expect(child.ending().status == 0)
    }
  }
}
