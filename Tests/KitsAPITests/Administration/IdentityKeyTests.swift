import Crypto
import Foundation
import JSON
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsAPI

@Suite("Identity keys over the API (K20)", .serialized)
struct IdentityKeyTests {
  private static let path = "/v1/identity-keys"

  private func backend() async throws -> Backend { try await Backend.make([.identityKeysWrite]) }

  private func add(_ backend: Backend, _ id: String, _ pem: String) async throws -> Reply {
    var json = JSONWriter()
    json.beginObject()
    json.member("key_id", id)
    json.member("public_key", pem)
    json.endObject()
    return try await backend.post(Self.path, String(decoding: json.bytes, as: UTF8.self))
  }

  private func count(_ backend: Backend) async throws -> Int64 {
    try await backend.running.count(
      """
      SELECT count(*) FROM identity_key JOIN environment USING (environment_no)
      WHERE environment_id = '\(backend.tenant.environment.text)'
      """)
  }

  @Test("A key is added, listed and revoked; what is shown is the fingerprint (SEC-K8)")
  func walk() async throws {
    let backend = try await backend()
    #expect(try await backend.get(Self.path).json["data"]?.array == [])
    let key = P256PrivateKey().publicKey
    let added = try await add(backend, "2026-11", key.spkiPEM)
    #expect(added.status == 201)
    #expect(added.json.object?.keys == ["key_id", "fingerprint", "created_at", "revoked_at"])
    #expect(added.json["key_id"]?.string == "2026-11" && added.json["revoked_at"] == .null)
    #expect(added.json["fingerprint"]?.string == key.fingerprint)
    #expect(added.header("Cache-Control") == "no-store")
    let again = try await add(backend, "2026-11", key.spkiPEM.replacing("\n", with: "\r\n"))
    #expect(again.status == 200 && again.body == added.body)

    let revoked = try await backend.delete(Self.path + "/2026-11")
    #expect(revoked.status == 200 && revoked.json["revoked_at"]?.string != nil)
    #expect(try await backend.delete(Self.path + "/2026-11").body == revoked.body)
    let list = try await backend.get(Self.path)
    #expect(list.status == 200 && list.json["data"]?.array == [revoked.json])
    let entries = try await backend.tenant.audit()
    #expect(entries.prefix(2).map(\.action) == ["identity_key.revoked", "identity_key.added"])
    #expect(entries.prefix(2).allSatisfy { $0.targetID == "2026-11" && $0.targetKind == "identity_key" })
    #expect(entries[1].changesText == #"{"fingerprint": [null, "\#(key.fingerprint)"]}"#)
    #expect(entries[0].changesText == #"{"revoked": [false, true]}"#)
  }

  @Test("An id has one key and a key one id; neither comes back once it is revoked (SEC-K7)")
  func once() async throws {
    let backend = try await backend()
    let (first, second) = (P256PrivateKey().publicKey.spkiPEM, P256PrivateKey().publicKey.spkiPEM)
    #expect(try await add(backend, "a", first).status == 201)
    for (id, pem, sentence) in [
      ("a", second, "Another key has or had this id"), ("b", first, "is or was registered as a"),
    ] {
      let reply = try await add(backend, id, pem)
      #expect(reply.status == 409 && reply.code == "IDENTITY_KEY_EXISTS")
      #expect(reply.json["detail"]?.string?.contains(sentence) == true)
    }
    #expect(try await backend.delete(Self.path + "/a").status == 200)
    for (id, pem) in [("a", first), ("a", second), ("b", first)] {
      #expect(try await add(backend, id, pem).code == "IDENTITY_KEY_EXISTS")
    }
    #expect(try await count(backend) == 1)
    #expect(try await add(backend, "A", second).status == 201, "ids are compared by bytes")
    let refusals = try await backend.tenant.audit().filter { $0.refusal == "IDENTITY_KEY_EXISTS" }
    #expect(refusals.count == 5 && refusals.allSatisfy { $0.action == "identity_key.added" })
  }

  @Test("The same key may belong to several environments, and each sees its own alone (SEC-A1)")
  func environments() async throws {
    let (mine, theirs) = (try await backend(), try await backend())
    let pem = P256PrivateKey().publicKey.spkiPEM
    #expect(try await add(mine, "k", pem).status == 201)
    #expect(try await theirs.delete(Self.path + "/k").code == "NOT_FOUND")
    #expect(try await add(theirs, "k", pem).status == 201)
    #expect(try await theirs.delete(Self.path + "/k").status == 200)
    #expect(try await mine.get(Self.path).json["data"]?.array?.first?["revoked_at"] == .null)
  }

  @Test("Of 16 calls that add one key under 16 ids one is made; the same call 16 times is made once")
  func concurrent() async throws {
    let backend = try await backend()
    func statuses(_ id: @escaping @Sendable (Int) -> String) async throws -> [Int] {
      let pem = P256PrivateKey().publicKey.spkiPEM
      return try await withThrowingTaskGroup { group in
        for number in 0..<16 { group.addTask { try await add(backend, id(number), pem).status } }
        return try await group.reduce(into: []) { $0.append($1) }.sorted()
      }
    }
    #expect(try await statuses { "k\($0)" } == [201] + Array(repeating: 409, count: 15))
    #expect(try await statuses { _ in "same" } == Array(repeating: 200, count: 15) + [201])
    #expect(try await count(backend) == 2)
  }

  @Test("An environment has at most 100 keys that aren't revoked")
  func many() async throws {
    let backend = try await backend()
    try await backend.running.pool.script(
      """
      INSERT INTO identity_key (environment_no, key_id, spki)
      SELECT e.environment_no, 'n' || n, decode(lpad(to_hex(n), 182, '0'), 'hex')
      FROM environment e, generate_series(1, 99) AS n
      WHERE e.environment_id = '\(backend.tenant.environment.text)'
      """)
    #expect(try await add(backend, "hundred", P256PrivateKey().publicKey.spkiPEM).status == 201)
    let pem = P256PrivateKey().publicKey.spkiPEM
    let full = try await add(backend, "more", pem)
    #expect(full.status == 422 && full.faults == ["/key_id TOO_MANY"])
    #expect(try await backend.delete(Self.path + "/n1").status == 200)
    #expect(try await add(backend, "more", pem).status == 201)
  }

  @Test(
    "Fields are strict",
    arguments: [
      ("{}", ["/key_id MISSING", "/public_key MISSING"]),
      (#"{"key_id":"a/b","public_key":""}"#, ["/key_id BAD_FORMAT"]),
      (#"{"key_id":"..","public_key":""}"#, ["/key_id BAD_FORMAT"]),
      (#"{"key_id":"","public_key":1}"#, ["/key_id TOO_SHORT", "/public_key WRONG_TYPE"]),
      (#"{"key_id":"a","public_key":"","alg":"ES256"}"#, ["/alg UNKNOWN_FIELD"]),
      (#"{"key_id":"a","public_key":""}"#, ["/public_key BAD_FORMAT"]),
    ])
  func strict(body: String, faults: [String]) async throws {
    let reply = try await backend().post(Self.path, body)
    #expect(reply.status == 422)
    #expect(reply.faults == faults)
  }

  @Test("What can't be a key id names nothing", arguments: ["a%2Fb", "%20", "é", "%2e%2e", "nobody"])
  func paths(id: String) async throws {
    let target = Self.path + "/" + (id.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? id)
    let reply = try await backend().delete(id.contains("%") ? Self.path + "/" + id : target)
    #expect(reply.status == 404 || reply.status == 400)
  }

  @Test("Of Wycheproof's 612 public PEMs the canonical ones are accepted and no other (SEC-K1, SEC-K5)")
  func wycheproof() async throws {
    let file = TestCluster.repository + "/Tests/CryptoTests/Vectors/wycheproof/ecdh_secp256r1_public_pems.json"
    let tests = try #require(
      try JSON.parse(Array(Data(contentsOf: URL(fileURLWithPath: file))))["tests"]?.array)
    #expect(tests.count == 612)
    let backend = try await backend()
    var accepted = 0
    for test in tests {
      let reply = try await add(backend, "wycheproof", try #require(test["public"]?.string))
      let isCanonical = test["canonical"]?.bool == true
      #expect(reply.status == (isCanonical ? 201 : 422), "\(test["tcId"] ?? .null)")
      guard isCanonical else {
        #expect(reply.faults == ["/public_key BAD_FORMAT"])
        continue
      }
      accepted += 1
      try await backend.running.pool.script("DELETE FROM identity_key WHERE key_id = 'wycheproof'")
    }
    #expect(accepted == 330)
  }
}
