import Foundation
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
}
