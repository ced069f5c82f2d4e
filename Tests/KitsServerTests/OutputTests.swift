import Foundation
import TestSupport
import Testing

@testable import KitsServer

/// A result that nobody got is a failure.
@Suite("Output that can't be written")
struct OutputTests {
  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess.Ending {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    return try ChildProcess(arguments, environment: environment, output: full).ending()
  }

  @Test(
    "A command whose output device is full ends with 74",
    arguments: [["version"], ["version", "--json"], ["version", "--field", "version"], ["--help"], ["check-config"]])
  func full(arguments: [String]) throws {
    let ending = try Self.run(arguments, environment: ConfigTests.minimal)
    #expect(ending.status == 74)
    #expect(ending.standardError == "kits: the output could not be written: No space left on device\n")
  }

  @Test("A command without a standard output ends with 74 and writes its result nowhere")
  func closed() {
    let script = #""$0" version --field version >&-; echo "ended $?""#
    let output = Shell.run(["/bin/sh", "-c", script, ChildProcess.program.path])
    #expect(output.text == "kits: the output could not be written: Bad file descriptor\nended 74\n")
  }

  @Test("What was made and could not be shown is told on stderr")
  func made() async throws {
    try await withDatabase { url in
      let environment = OperatorTests.environment(url)
      let project = try Self.run(["project", "create", "--name", "Shop"], environment: environment)
      #expect(project.status == 74)
      let words = project.standardError.split { $0.isWhitespace || $0 == "." }
      let id = try #require(words.last.map(String.init))
      #expect(project.standardError.contains("was created, with the environment \(id)."))

      let create = ["key", "create", "--environment", id, "--name", "a", "--scope", "messages:send"]
      let key = try Self.run(create, environment: environment)
      #expect(key.status == 74)
      let unknown = try await KitsProcess(create + ["--field", "sever_key"], environment: environment).ending()
      #expect(unknown.status == 64)
      let list = try await KitsProcess.run("key", "list", "--environment", id, "--json", environment: environment)
      for text in [key.standardError, unknown.standardError] {
        let revoked = try #require(text.firstMatch(of: /revoke it with `kits key revoke ([0-9a-f-]{36})`/)).1
        #expect(list.standardOutput.contains(revoked))
      }
    }
  }
}
