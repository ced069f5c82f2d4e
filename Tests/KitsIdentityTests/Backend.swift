import Crypto
import Foundation
import KitsAPI
import KitsIdentity
import TestSupport
import Testing

/// A customer's backend in a directory of its own: a key, the code of the documentation, and the server's verdict.
final class Backend {
  static let appID = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
  static let keyID = "2026-08"
  static let pair = generateIdentityKeyPair()

  let directory: String

  init(files: [String: String] = [:]) throws {
    directory = NSTemporaryDirectory() + "kits-backend-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for (name, text) in files.merging(["identity.key": Self.pair.privateKeyPEM], uniquingKeysWith: { one, _ in one }) {
      try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Runs a shell script in the directory and returns what it printed.
  func run(_ script: String) throws -> String {
    let output = Shell.run(
      ["/bin/sh", "-c", "cd \"$DIRECTORY\" && \(script)"],
      environment: [
        "DIRECTORY": directory, "KITS_APP_ID": Self.appID, "KITS_IDENTITY_KEY_ID": Self.keyID,
        "KITS_IDENTITY_KEY_FILE": "\(directory)/identity.key",
      ])
    guard output.status == 0 else { throw TestFailure("\(script): \(output.text)") }
    return output.text
  }

  /// Whom the server takes the sender of the token for.
  static func user(of token: String) throws -> String {
    try IdentityToken.parse(token).verify(
      key: P256PublicKey(spkiPEM: pair.publicKeyPEM), appID: appID, now: Int64(Date().timeIntervalSince1970)
    ).externalID
  }

  /// Both halves in the one form that Kits has for each, and belonging together.
  static func expectPair(_ privateKeyPEM: String, _ publicKeyPEM: String) throws {
    let publicKey = try P256PublicKey(spkiPEM: publicKeyPEM)
    #expect(try P256PrivateKey(pkcs8PEM: privateKeyPEM).publicKey == publicKey)
    #expect(publicKey.spkiPEM == publicKeyPEM)
  }

  /// The code blocks of a language in docs/identity.md.
  static func snippets(_ language: String) throws -> [String] {
    let text = try repositoryFile("docs/identity.md")
    return text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }

  static func repositoryFile(_ path: String) throws -> String {
    try String(contentsOfFile: "\(TestCluster.repository)/\(path)", encoding: .utf8)
  }
}
