import Crypto
import Foundation
import TestSupport
import Testing

@testable import APNsSimulator

@Suite("The program")
struct ProcessTests {
  @Test("SIGTERM ends it with status 0")
  func terminates() async throws {
    let simulator = try await SimulatorProcess()
    #expect(await simulator.stop() == 0)
  }

  @Test("The help names every option and ends with status 0")
  func help() async throws {
    let options = try Options(["--help"])
    #expect(options.wantsHelp)
    for option in [
      "--port", "--admin-port", "--ca-file", "--key", "--keys", "--fast", "--threads", "--remember",
      "--identity-file",
    ] {
      #expect(Options.help.contains(option))
    }
  }

  @Test("--fast counts and wait sees it; paths too short to be a device are 404", .timeLimit(.minutes(1)))
  func fast() async throws {
    let simulator = try await SimulatorProcess(arguments: ["--fast", "--threads", "2"])
    let load = try await Command.run(
      "/usr/bin/h2load",
      ["-n", "20000", "-c", "4", "-m", "50", "https://localhost:\(simulator.port)/3/device/\(Push.device)"])
    #expect(load.text.contains("20000 succeeded"))
    try await simulator.wait("accepted=20000&connections_closed=4")
    #expect(try await simulator.count("received") == 20_000)
    #expect(try await simulator.count("max_concurrent_streams") == 50)
    let short = try await Curl(simulator: simulator).send(Push().route("POST", "/3/device"))
    #expect(short.status == 404)
    #expect(try await simulator.count("accepted") == 20_000)
  }

  @Test("Several threads share the connections and the counts")
  func threads() async throws {
    let provider = Provider()
    let simulator = try await SimulatorProcess(arguments: ["--threads", "3"], keys: [provider.registration])
    let good = Push(token: try provider.token())
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<6 {
        group.addTask { try await Curl(simulator: simulator).send(Array(repeating: good, count: 50)).map(\.status) }
      }
      for try await statuses in group { #expect(statuses.allSatisfy { $0 == 200 }) }
    }
    #expect(try await simulator.count("accepted") == 300)
    #expect(try await simulator.count("connections_opened") == 6)
  }

  @Test("With --identity-file the next run has the same certificates, so that clients trust it too")
  func identity() async throws {
    let file = NSTemporaryDirectory() + "identity-\(UUID().uuidString).pem"
    defer { unlink(file) }
    let provider = Provider()
    let first = try await SimulatorProcess(arguments: ["--identity-file", file], keys: [provider.registration])
    let trusted = try String(contentsOfFile: first.certificateFile, encoding: .utf8)
    await first.stop()
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let second = try await SimulatorProcess(arguments: ["--identity-file", file], keys: [provider.registration])
    #expect(try String(contentsOfFile: second.certificateFile, encoding: .utf8) == trusted)
    #expect(try await Curl(simulator: second).send(Push(token: try provider.token())).status == 200)
  }

  @Test("Keys and a script can be given as files, the ready line as well")
  func files() async throws {
    let directory = NSTemporaryDirectory() + "files-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let provider = Provider()
    let pem = provider.key.publicKey.spkiPEM
    try pem.write(toFile: directory + "/key.pem", atomically: true, encoding: .utf8)
    let keys = [["key_id": "KEY0000009", "team_id": "TEAM000009", "public_key_pem": pem]]
    try JSONSerialization.data(withJSONObject: keys).write(to: URL(fileURLWithPath: directory + "/keys.json"))
    try "{\"rules\":[{\"prefix\":\"b2\",\"reason\":\"InternalServerError\"}]}"
      .write(toFile: directory + "/script.json", atomically: true, encoding: .utf8)
    let simulator = try await SimulatorProcess(arguments: [
      "--key", "KEY0000001:TEAM000001:\(directory)/key.pem:production:com.example.app",
      "--keys", directory + "/keys.json", "--script", directory + "/script.json",
      "--ready-file", directory + "/ready.json",
    ])
    let good = Push(token: try provider.token())
    let answers = try await Curl(simulator: simulator).send([
      good, good.to("b2b2"), good.with("apns-topic", "com.example.other"),
    ])
    #expect(answers.map(\.reason) == [nil, "InternalServerError", "TopicDisallowed"])
    let ready = try Data(contentsOf: URL(fileURLWithPath: directory + "/ready.json"))
    let object = try JSONSerialization.jsonObject(with: ready) as? [String: Any]
    #expect(object?["port"] as? Int == simulator.port)
  }

  @Test(
    "A wrong command line is refused with a sentence",
    arguments: [["--port"], ["--port", "70000"], ["--threads", "0"], ["--what"], ["--environment", "x"]])
  func usage(_ arguments: [String]) {
    #expect(throws: UsageError.self) { try Options(arguments) }
  }

  @Test("A taken port is an error, not a hang")
  func takenPort() async throws {
    let simulator = try await SimulatorProcess()
    await #expect(throws: SimulatorProcess.Failure.self) {
      try await SimulatorProcess(arguments: ["--port", String(simulator.port)])
    }
  }
}
