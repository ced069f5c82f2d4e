import Crypto
import Foundation
import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// A private key that is pasted in place of the public one leaves no trace (K20, K33).
@Suite("Pasted keys", .serialized)
struct PastedKeyTests {
  /// What a private key looks like here and there, and how the audit log calls it. The bodies are canaries.
  static let canary = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCanaryCanaryCanary"

  static let texts: [(text: String, found: String)] = [
    ("-----BEGIN PRIVATE KEY-----\n\(canary)\n-----END PRIVATE KEY-----\n", "private_key"),
    ("-----BEGIN EC PRIVATE KEY-----\n\(canary)\n-----END EC PRIVATE KEY-----\n", "sec1_private_key"),
    (
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\n\(canary)\n-----END ENCRYPTED PRIVATE KEY-----\n", "encrypted_private_key"
    ),
    ("-----BEGIN RSA PRIVATE KEY-----\n\(canary)\n-----END RSA PRIVATE KEY-----\n", "rsa_private_key"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\n\(canary)\n-----END OPENSSH PRIVATE KEY-----\n", "open_ssh_private_key"),
    (
      "-----BEGIN EC PARAMETERS-----\nBggq\n-----END EC PARAMETERS-----\n-----BEGIN EC PRIVATE KEY-----\n\(canary)",
      "sec1_private_key"
    ),
    (#"{"kty":"EC","crv":"P-256","d":"\#(canary)"}"#, "private_key"),
    (
      P256PrivateKey().publicKey.spkiPEM + "-----BEGIN PRIVATE KEY-----\n\(canary)\n-----END PRIVATE KEY-----\n",
      "private_key"
    ),
    (
      "-----BEGIN PRIVATE KEY-----\n\(canary)\n-----END PRIVATE KEY-----\n" + P256PrivateKey().publicKey.spkiPEM,
      "private_key"
    ),
    ("x \(canary)\n-----BEGIN PUBLIC KEY-----\n", "malformed"),
    ("-----BEGIN CERTIFICATE-----\n\(canary)\n-----END CERTIFICATE-----\n", "certificate"),
  ]

  @Test("It is refused with what it is, and none of it is answered, logged or written down", arguments: texts.indices)
  func leavesNoTrace(index: Int) async throws {
    let (text, found) = Self.texts[index]
    let backend = try await Backend.make([.identityKeysWrite])
    let running = backend.running
    var json = JSONWriter()
    json.beginObject()
    json.member("key_id", "k")
    json.member("public_key", text)
    json.endObject()
    let entries = try await backend.tenant.entries {
      let reply = try await backend.post("/v1/identity-keys", String(decoding: json.bytes, as: UTF8.self))
      #expect(reply.status == 422 && reply.faults == ["/public_key BAD_FORMAT"])
      let isPrivate = found.hasSuffix("private_key")
      let answer = String(decoding: reply.body, as: UTF8.self)
      #expect(answer.contains("treat it as compromised") == isPrivate, "\(answer)")
      Self.expectClean(answer + reply.headers.map(\.value).joined())
    }
    #expect(entries.map(\.refusal) == ["BODY_INVALID"])
    #expect(entries.first?.targetID == "k" && entries.first?.action == "identity_key.added")
    if found != "malformed" { #expect(entries.first?.changesText == #"{"found": [null, "\#(found)"]}"#) }
    for event in running.events.all { Self.expectClean("\(event)") }
    #expect(try await backend.get("/v1/identity-keys").json["data"]?.array == [])
    let everything = try await running.texts("SELECT audit_entry::text FROM audit_entry")
    #expect(!everything.isEmpty)
    for row in everything { Self.expectClean(row) }
  }

  /// Neither as it is, nor in Base64, nor in hex.
  static func expectClean(_ text: String) {
    for part in [canary, String(canary.suffix(18))] {
      #expect(!text.contains(part))
      #expect(!text.contains(Base64.encode(Array(part.utf8)).prefix(20)))
      #expect(!text.lowercased().contains(Hex.encode(Array(part.utf8))))
    }
  }

  @Test("1 MB and 10,000 blocks are refused quickly (SEC-K6)")
  func large() async throws {
    let backend = try await Backend.make([.identityKeysWrite])
    let block = P256PrivateKey().publicKey.spkiPEM.replacing("\n", with: "\\n")
    func post(_ text: String) async throws -> Reply {
      try await backend.post("/v1/identity-keys", #"{"key_id":"k","public_key":"\#(text)"}"#)
    }
    let started = ContinuousClock.now
    #expect(try await post(String(repeating: "A", count: 1_000_000)).status == 413)
    #expect(try await post(String(repeating: block, count: 10_000)).status == 413)
    #expect(try await post(String(repeating: block, count: 1_000)).faults == ["/public_key BAD_FORMAT"])
    #expect(try await post(String(repeating: "\\n", count: 100_000)).faults == ["/public_key BAD_FORMAT"])
    #expect(ContinuousClock.now - started < .seconds(20))
  }
}
