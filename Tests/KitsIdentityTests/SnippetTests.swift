import Foundation
import KitsIdentity
import TestSupport
import Testing

/// The code of docs/identity.md, run as it stands there, against the server's own verifier.
@Suite("Examples for backends (K24, K29)")
struct SnippetTests {
  private static let user = #"user "7" \ é 用户"#
  private static let hasNode = Shell.run(["/usr/bin/env", "node", "--version"]).status == 0
  private static let hasPython = Shell.run(["/usr/bin/python3", "-c", "import jwt, cryptography"]).status == 0

  @Test("Both Node examples sign what the server accepts", .enabled(if: hasNode, "needs Debian's nodejs"))
  func node() throws {
    let snippets = try Backend.snippets("js")
    #expect(snippets.count == 2)
    for snippet in snippets {
      let backend = try Backend(files: [
        "kits.mjs": try Backend.repositoryFile("clients/node/kits.mjs"), "backend.mjs": snippet,
        "call.mjs": """
        import { identityToken } from './backend.mjs'
        process.stdout.write(identityToken({ id: process.argv[2] }))
        """,
      ])
      #expect(try Backend.user(of: backend.run("exec node call.mjs '\(Self.user)'")) == Self.user)
    }
  }

  @Test("The Python example signs what the server accepts", .enabled(if: hasPython, "needs Debian's python3-jwt"))
  func python() throws {
    let snippet = try #require(Backend.snippets("python").first)
    let backend = try Backend(files: [
      "backend.py": snippet,
      "call.py": "import sys, backend\nprint(backend.identity_token(sys.argv[1]), end='')\n",
    ])
    #expect(try Backend.user(of: backend.run("exec /usr/bin/python3 call.py '\(Self.user)'")) == Self.user)
  }

  @Test("The Swift example is a file of these tests, and signs what the server accepts")
  func swift() throws {
    let snippet = try #require(Backend.snippets("swift").first)
    #expect(snippet == (try Backend.repositoryFile("Tests/KitsIdentityTests/IdentityTokens.swift")))
    let tokens = try IdentityTokens(
      appID: Backend.appID, keyID: Backend.keyID, privateKeyPEM: Backend.pair.privateKeyPEM)
    #expect(try Backend.user(of: tokens.token(for: Self.user)) == Self.user)
  }

  @Test("Five hundred tokens of kits.mjs verify", .enabled(if: hasNode, "needs Debian's nodejs"))
  func manyOfNode() throws {
    let backend = try Backend(files: [
      "kits.mjs": try Backend.repositoryFile("clients/node/kits.mjs"),
      "call.mjs": """
      import { readFileSync } from 'node:fs'
      import { createIdentityTokenSigner } from './kits.mjs'
      const privateKeyPEM = readFileSync(process.env.KITS_IDENTITY_KEY_FILE, 'utf8')
      const signer = createIdentityTokenSigner({ appId: process.env.KITS_APP_ID, keyId: 'k', privateKeyPEM })
      for (let i = 0; i < 500; i++) console.log(signer.sign(`user-${i}`).token)
      """,
    ])
    let tokens = try backend.run("exec node call.mjs").split(separator: "\n")
    #expect(tokens.count == 500)
    for (index, token) in tokens.enumerated() {
      #expect(try Backend.user(of: String(token)) == "user-\(index)")
    }
  }

  @Test("Keys that kits.mjs makes are the ones that the server takes", .enabled(if: hasNode, "needs Debian's nodejs"))
  func keysOfNode() throws {
    let backend = try Backend(files: [
      "kits.mjs": try Backend.repositoryFile("clients/node/kits.mjs"),
      "call.mjs": """
      import { generateIdentityKeyPair } from './kits.mjs'
      const { privateKeyPEM, publicKeyPEM } = generateIdentityKeyPair()
      process.stdout.write(privateKeyPEM + publicKeyPEM)
      """,
    ])
    let text = try backend.run("exec node call.mjs")
    let start = try #require(text.range(of: "-----BEGIN PUBLIC KEY-----"))
    try Backend.expectPair(String(text[..<start.lowerBound]), String(text[start.lowerBound...]))
  }
}
