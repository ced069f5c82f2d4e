import Crypto
import Foundation
import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("Legacy proofs of identity", .serialized)
struct LegacyProofTests {
  private static func id<Entity>(_ byte: UInt8) -> Identifier<Entity> {
    Identifier(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte)))
  }

  private static let proof = LegacyProof(
    installation: id(1), binding: id(2), operation: id(3), externalID: ExternalID("alice")!, issuedAt: 1_000,
    expiresAt: 1_300)

  private static func open(_ text: String, ring: KeyRing, now: Int64 = 1_299) throws -> LegacyProof? {
    try LegacyProof.read(text)?.open(with: ring, installation: id(1), binding: id(2), operation: id(3), now: now)
  }

  @Test("A proof that is read is the one that was minted, until the second it expires")
  func roundTrip() throws {
    let ring = try TestKeys.ring()
    let text = try Self.proof.minted(by: ring)
    let opened = try #require(try Self.open(text, ring: ring))
    #expect(opened.externalID == Self.proof.externalID)
    #expect(opened.issuedAt == 1_000 && opened.expiresAt == 1_300)
    #expect(throws: LegacyProof.Fault.expired) { try Self.open(text, ring: ring, now: 1_300) }
  }

  @Test("With any bit changed, cut anywhere or longer, it is none")
  func changes() throws {
    let ring = try TestKeys.ring()
    let text = try Self.proof.minted(by: ring)
    let bytes = try #require(Base64URL.decode(String(text.dropFirst(LegacyProof.prefix.count))))
    func isAccepted(_ text: String) -> Bool { ((try? Self.open(text, ring: ring)) ?? nil) != nil }
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!isAccepted(LegacyProof.prefix + Base64URL.encode(changed)), "bit \(bit)")
    }
    for count in 0..<text.count { #expect(!isAccepted(String(text.prefix(count)))) }
    for other in [text + "A", text + "=", " " + text, text + "\n", text.uppercased(), String(text.dropFirst())] {
      #expect(!isAccepted(other))
    }
    #expect(LegacyProof.read(text + String(repeating: "A", count: 1_024)) == nil)
  }

  @Test("A MAC of another purpose or of another master key is none", arguments: KeyRing.Purpose.allCases)
  func otherKeys(_ purpose: KeyRing.Purpose) throws {
    let ring = try TestKeys.ring()
    let text = try Self.proof.minted(by: ring)
    let payload = try #require(Base64URL.decode(String(text.dropFirst(LegacyProof.prefix.count)))).dropLast(32)
    let key = try #require(ring.key(purpose, id: "k1"))
    let forged =
      LegacyProof.prefix
      + Base64URL.encode(payload + (try HMACSHA256.authenticate(Array(payload), key: key)))
    let isOpened = ((try? Self.open(forged, ring: ring)) ?? nil) != nil
    #expect(isOpened == (purpose == .identityProof))
    #expect(throws: LegacyProof.Fault.keyUnknown) {
      try Self.open(text, ring: TestKeys.ring(["k2"], minting: "k2"))
    }
  }

  @Test("K25: the answer is a proof, when it expires, and since when all of this is deprecated")
  func route() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let desk = try await LegacyDesk(scene)
    let before = Int64(Date().timeIntervalSince1970)
    let reply = try await desk.ask(Self.body(device))
    #expect(reply.status == 200)
    #expect(reply.header("Deprecation") == "@1795996800")
    #expect(reply.header("Sunset") == "Tue, 30 Nov 2027 00:00:00 GMT")
    #expect(reply.header("Cache-Control") == "no-store")
    let expiry = try #require(RFC3339.parse(reply.json["expires_at"]?.string ?? "")) / 1_000_000
    #expect((before + 300...before + 310).contains(expiry))
    let short = try await desk.ask(Self.body(device, #","ttl_seconds":1"#))
    #expect(try #require(RFC3339.parse(short.json["expires_at"]?.string ?? "")) / 1_000_000 <= before + 11)
  }

  private static func body(_ device: Device, _ more: String = "") -> String {
    #"""
    {"installation_id":"\#(device.id)","external_id":"alice","expected_binding_id":"\#(Device.operationID())",
     "operation_id":"\#(Device.operationID())"\#(more)}
    """#
  }

  @Test("K25: it needs its scope, an installation of its environment, and a strict body")
  func refusals() async throws {
    let (scene, other) = (try await IdentityScene.make(.verified), try await IdentityScene.make(.verified))
    let device = try await scene.device()
    let unscoped = try await LegacyDesk(scene, scopes: [.usersWrite]).ask(Self.body(device))
    #expect(unscoped.outcome == "403 SCOPE_MISSING")
    #expect(unscoped.header("Deprecation") == "@1795996800")
    #expect(try await LegacyDesk(other).ask(Self.body(device)).outcome == "404 NOT_FOUND")
    let desk = try await LegacyDesk(scene)
    for (more, fault) in [
      (#","ttl_seconds":0"#, "/ttl_seconds TOO_SMALL"), (#","ttl_seconds":301"#, "/ttl_seconds TOO_LARGE"),
      (#","ttl_seconds":null"#, "/ttl_seconds NULL_NOT_ALLOWED"), (#","x":1"#, "/x UNKNOWN_FIELD"),
    ] {
      let reply = try await desk.ask(Self.body(device, more))
      #expect(reply.outcome == "422 BODY_INVALID")
      #expect(reply.faults == [fault])
    }
    let empty = try await desk.ask("{}")
    #expect(
      empty.faults.sorted() == [
        "/expected_binding_id MISSING", "/external_id MISSING", "/installation_id MISSING", "/operation_id MISSING",
      ])
  }
}
