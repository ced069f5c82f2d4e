import Foundation
import Testing

@testable import KitsServer

@Suite("Where the server key comes from")
struct ServerKeySourceTests {
  static func invocation(_ words: [String], _ environment: [String: String]) throws -> Invocation {
    let parser = CommandParser(root: CommandTree.root)
    guard case .run(_, _, let arguments) = try parser.parse(["message", "watch", "M", "--url", "U"] + words) else {
      throw CommandFailure.usage("help")
    }
    let output = Output(form: .text, standardOutput: { _ in }, standardError: { _ in })
    return Invocation(arguments: arguments, environment: environment, output: output)
  }

  @Test("The file wins over the environment, and line ends around the key don't matter")
  func sources() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("kits_sk_file\r\n".utf8).write(to: file)
    let environment = ["KITS_SERVER_KEY": "kits_sk_environment"]
    let fromFile = try Self.invocation(["--server-key-file", file.path], environment)
    #expect(try ServerKeySource.read(fromFile).reveal() == "kits_sk_file")
    #expect(try ServerKeySource.read(Self.invocation([], environment)).reveal() == "kits_sk_environment")
  }

  @Test("No key, no file and no key in it are told apart, without showing what was there")
  func refusals() throws {
    #expect(
      throws: CommandFailure.usage("give the server key with --server-key-file FILE or in KITS_SERVER_KEY")
    ) { try ServerKeySource.read(Self.invocation([], [:])) }
    #expect(
      throws: CommandFailure.refused("can't read the server key file /none, or it is larger than 512 bytes")
    ) { try ServerKeySource.read(Self.invocation(["--server-key-file", "/none"], [:])) }
    let wrong = ["hunter2", "kits_sk_a kits_sk_b", "kits_sk_é", "", "kits_sk_" + String(repeating: "a", count: 505)]
    for value in wrong {
      #expect(throws: CommandFailure.refused("KITS_SERVER_KEY holds no server key (they start with kits_sk_)")) {
        try ServerKeySource.read(Self.invocation([], ["KITS_SERVER_KEY": value]))
      }
    }
  }
}
