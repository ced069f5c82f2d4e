import Foundation
import TestSupport
import Testing

/// Real processes without a database and without settings.
@Suite("kits identity")
struct IdentityCommandTests {
  private static let app = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"

  /// A directory of its own for each test, gone afterwards.
  private static func inDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = NSTemporaryDirectory() + "kits-identity-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
  }

  /// Makes a pair in `identity.key` and `identity.pem` of the directory.
  private static func keygen(_ directory: String) async throws {
    let made = try await KitsProcess.run("identity", "keygen", "--private-key-file", directory + "/identity.key")
    #expect(made.status == 0, "\(made.standardError)")
    try made.standardOutput.write(toFile: directory + "/identity.pem", atomically: true, encoding: .utf8)
  }

  private static func sign(
    _ directory: String, id: String = "alice", app: String = app, more: [String] = []
  ) async throws -> KitsProcess.Ending {
    try await KitsProcess(
      [
        "identity", "sign", "--app", app, "--key-id", "2026-08", "--private-key-file", directory + "/identity.key",
        "--external-id", id,
      ] + more, environment: [:]
    ).ending()
  }

  private static func verify(_ directory: String, _ token: String, app: String = app) async throws
    -> KitsProcess.Ending
  {
    try await KitsProcess.run(
      "identity", "verify", "--app", app, "--public-key-file", directory + "/identity.pem", "--json", input: token)
  }

  @Test("keygen writes a private file and prints the public key alone, which openssl reads")
  func keygen() async throws {
    try await Self.inDirectory { directory in
      let path = directory + "/identity.key"
      let made = try await KitsProcess.run("identity", "keygen", "--private-key-file", path)
      #expect(made.status == 0)
      #expect(made.standardOutput.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
      #expect(made.standardError == "The private key is in \(path), and nowhere else. Register the public key above.\n")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let derived = Shell.run(["/usr/bin/openssl", "pkey", "-in", path, "-pubout"])
      #expect(derived.text == made.standardOutput)
      let key = try String(contentsOfFile: path, encoding: .utf8)
      let again = try await KitsProcess.run("identity", "keygen", "--private-key-file", path)
      #expect(again.status == 1 && again.standardOutput.isEmpty)
      #expect(again.standardError == "kits: can't write \(path): File exists; it is never overwritten\n")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == key)
      let other = try await KitsProcess.run(
        "identity", "keygen", "--private-key-file", directory + "/other.key", "--json")
      #expect(try other.field("public_key_pem").hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
      #expect(try other.field("fingerprint").count == 64)
      #expect(!other.standardOutput.contains("PRIVATE"))
    }
  }

  @Test("What sign signs, verify accepts and prints; the key may come from standard input (K24, K29)")
  func signAndVerify() async throws {
    try await Self.inDirectory { directory in
      try await Self.keygen(directory)
      let signed = try await Self.sign(directory, more: ["--json"])
      #expect(signed.status == 0)
      let verified = try await Self.verify(directory, signed.field("token") + "\n")
      #expect(verified.status == 0)
      #expect(try verified.field("external_id") == "alice" && verified.field("key_id") == "2026-08")
      #expect(try verified.field("app_id") == Self.app)
      #expect(try verified.field("expires_at") == signed.field("expires_at"))
      let key = try String(contentsOfFile: directory + "/identity.key", encoding: .utf8)
      let piped = try await KitsProcess.run(
        "identity", "sign", "--app", Self.app, "--key-id", "2026-08", "--private-key-file", "-", "--external-id", "bob",
        "--field", "token", input: key)
      #expect(piped.status == 0)
      try piped.standardOutput.write(toFile: directory + "/token", atomically: true, encoding: .utf8)
      let fromFile = try await KitsProcess.run(
        "identity", "verify", "--app", Self.app, "--public-key-file", directory + "/identity.pem", "--token-file",
        directory + "/token", "--field", "external_id")
      #expect(fromFile.standardOutput == "bob\n")
    }
  }

  @Test("A token that the server would refuse ends with 1 and its cause")
  func refusals() async throws {
    try await Self.inDirectory { directory in
      try await Self.keygen(directory)
      let token = try await Self.sign(directory, more: ["--field", "token"]).standardOutput
      let otherApp = try await Self.verify(directory, token, app: "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d71")
      #expect(otherApp.status == 1 && otherApp.standardOutput.isEmpty)
      #expect(
        otherApp.standardError.hasPrefix("kits: the token is refused: iss_wrong\nThe iss isn't the id of the app"))
      let damaged = try await Self.verify(directory, "A" + token)
      #expect(damaged.status == 1 && damaged.standardError.contains("the token is refused: "))
      #expect(!damaged.standardError.contains(token.prefix(20)))
      #expect(try await Self.verify(directory, "").standardError.contains("not_three_parts"))
      let short = try await Self.sign(directory, more: ["--field", "token", "--ttl-seconds", "1"]).standardOutput
      let expired = try await eventually("the token expires") {
        let ending = try await Self.verify(directory, short)
        return ending.status == 0 ? nil : ending
      }
      #expect(expired.standardError.contains("the token is refused: expired\n"))
      try FileManager.default.removeItem(atPath: directory + "/identity.key")
      try FileManager.default.removeItem(atPath: directory + "/identity.pem")
      try await Self.keygen(directory)
      #expect(try await Self.verify(directory, token).standardError.contains("signature_wrong"))
    }
  }

  @Test("Wrong input is refused with a sentence, and no key is repeated")
  func wrongInput() async throws {
    try await Self.inDirectory { directory in
      try await Self.keygen(directory)
      #expect(try await Self.sign(directory, more: ["--ttl-seconds", "3601"]).status == 64)
      #expect(try await Self.sign(directory, more: ["--ttl-seconds", "+5"]).status == 64)
      #expect(
        try await Self.sign(directory, app: "shop").standardError.hasPrefix("kits: The app id must be an id like"))
      #expect(try await Self.sign(directory, id: " ").standardError.contains("white space alone"))
      let key = try String(contentsOfFile: directory + "/identity.key", encoding: .utf8)
      let exposed = try await KitsProcess.run(
        "identity", "verify", "--app", Self.app, "--public-key-file", directory + "/identity.key", input: "a.b.c")
      #expect(exposed.status == 1 && exposed.standardError.contains("treat it as compromised"))
      #expect(!exposed.standardError.contains(key.split(separator: "\n")[1]))
      let missing = try await KitsProcess.run(
        "identity", "verify", "--app", Self.app, "--public-key-file", directory + "/none", input: "a.b.c")
      #expect(missing.status == 1 && missing.standardError.contains("can't read the public key from"))
    }
  }

  @Test("The commands in docs/identity.md do what they say")
  func documented() async throws {
    let text = try ManualTests.text("docs/identity.md")
    let script = try #require(
      text.components(separatedBy: "```sh\n").dropFirst().first?.components(separatedBy: "```").first)
    try await Self.inDirectory { directory in
      let programs = ChildProcess.program.deletingLastPathComponent().path
      let output = Shell.run(
        ["/bin/sh", "-ec", "cd \"$DIRECTORY\"\n" + script],
        environment: ["DIRECTORY": directory, "KITS_APP_ID": Self.app, "PATH": "\(programs):/usr/bin:/bin"])
      #expect(output.status == 0, "\(output.text)")
      #expect(output.text.contains("external_id  alice\n"))
    }
  }
}
