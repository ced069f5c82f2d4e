import Crypto
import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// Lines of the security list that need more than the verifier: two tenants, two users, time.
@Suite("Identity against attackers", .serialized)
struct IdentitySecurityTests {
  @Test("SEC-J10: the same key id in two environments names two keys; a token is good for neither's other app")
  func twoEnvironments() async throws {
    let (ours, theirs) = (try await IdentityScene.make(.verified), try await IdentityScene.make(.verified))
    let (here, there) = (try await ours.device(), try await theirs.device())
    let attempts = [
      // Signed by our key, naming their app, sent to either.
      try await here.login(token: ours.token("alice", app: theirs.tenant.app.text)),
      try await there.login(token: ours.token("alice", app: theirs.tenant.app.text)),
      // Signed by their key, naming our app, sent to either.
      try await here.login(token: theirs.token("alice", app: ours.tenant.app.text)),
      try await there.login(token: theirs.token("alice", app: ours.tenant.app.text)),
      // Right in its own environment.
      try await here.login(token: theirs.token("alice")), try await there.login(token: ours.token("alice")),
    ]
    for reply in attempts { #expect(reply.outcome == "401 IDENTITY_TOKEN_INVALID") }
    #expect(try await ours.rejections() == ["iss_wrong": 1, "signature_wrong": 2])
    #expect(try await theirs.rejections() == ["signature_wrong": 2, "iss_wrong": 1])
    #expect(try await here.login(token: ours.token("alice")).status == 200)
    #expect(try await there.login(token: theirs.token("alice")).status == 200)
  }

  @Test("SEC-J36: a token of another app of the environment is refused")
  func otherApp() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let reply = try await device.login(token: scene.token("alice", app: scene.tenant.app.text.uppercased()))
    #expect(reply.outcome == "401 IDENTITY_TOKEN_INVALID")
    #expect(try await scene.rejections() == ["iss_wrong": 1])
  }

  @Test("SEC-J42: a token of one user on another's installation rebinds it whole: nothing is merged, nothing told")
  func takeOver() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let bob = try await device.login(token: scene.token("bob"))
    try await device.furnish()
    let refused = try await device.login(token: scene.token("alice", by: TokenForge()))
    #expect(!String(decoding: refused.body, as: UTF8.self).contains("bob"))
    let alice = try await device.login(token: scene.token("alice"))
    #expect(alice.outcome == "200 bound: alice verified #3")
    #expect(!String(decoding: alice.body, as: UTF8.self).contains("bob"))
    #expect(alice.bindingID != bob.bindingID)
    #expect(try await !device.isFurnished())
  }

  @Test("SEC-J43: a token may be used again while it lives, but not what a logout has overtaken")
  func reuse() async throws {
    let scene = try await IdentityScene.make(.verified)
    let (device, other) = (try await scene.device(), try await scene.device())
    let token = try scene.token("alice")
    let (first, operation) = (try await device.binding(), Device.operationID())
    #expect(try await device.login(token: token, operation: operation, expecting: first.id).status == 200)
    #expect(try await other.login(token: token).outcome == "200 bound: alice verified #2")
    _ = try await device.logout()
    // The request again, and the token with what was expected before the logout.
    let replay = try await device.login(token: token, operation: operation, expecting: first.id)
    #expect(replay.outcome == "200 bound replayed: alice verified #2")
    #expect(try await device.login(token: token, expecting: first.id).status == 409)
    #expect(try await device.binding().text == "nobody #3")
    // Whoever knows the binding of now holds the device token, and asks for a login.
    #expect(try await device.login(token: token).outcome == "200 bound: alice verified #4")
  }

  @Test("SEC-L1: what is planted in tokens, proofs and keys comes back in no answer, event or row")
  func canaries() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let canary = "canary\(Hex.encode(SystemRandom.bytes(8)))"
    let desk = try await LegacyDesk(scene)
    let operation = Device.operationID()
    let proof = try await desk.proof(canary, device, operation: operation, binding: device.binding().id)
    let tokens = [
      canary, "\(canary).\(canary).\(canary)", try scene.token(canary, issued: 4_000),
      try scene.token(canary, keyID: canary),
      try scene.token(canary, by: TokenForge()), "kitid1.\(canary)", proof,
    ]
    var shown: [String] = []
    for token in tokens {
      let reply = try await device.login(token: token)
      #expect(reply.status == 401)
      let text = String(decoding: reply.body, as: UTF8.self) + reply.headers.map { "\($0)" }.joined()
      #expect(!text.contains(token))
      shown.append(text)
    }
    for body in [
      #"{"token":"\#(canary)","external_id":"\#(canary)","operation_id":"\#(canary)","\#(canary)":1}"#,
      #"{"token":"\#(canary)""#, #"{"token":["\#(canary)"],"expected_binding_id":"\#(canary)"}"#,
    ] {
      let reply = try await device.running.send("POST", device.path + "/identity", headers: device.bearer, json: body)
      // The name of an unknown member is told to who sent it; no value is.
      shown.append(String(decoding: reply.body, as: UTF8.self).replacing("/\(canary)", with: ""))
      shown.append(String(decoding: try await desk.ask(body).body, as: UTF8.self).replacing("/\(canary)", with: ""))
    }
    shown.append(scene.running.events.all.map { "\($0)" }.joined(separator: "\n"))
    for text in shown { #expect(!text.contains(canary), "\(text)") }
    #expect(
      try await scene.running.count(
        """
        SELECT (SELECT count(*) FROM identity_operation k WHERE k::text LIKE '%\(canary)%')
          + (SELECT count(*) FROM identity_rejection j WHERE j::text LIKE '%\(canary)%')
          + (SELECT count(*) FROM installation i WHERE i::text LIKE '%\(canary)%')
        """) == 0)
  }

  @Test("SEC-L1: what holds a proof, a token or a server key prints nothing of it")
  func printing() async throws {
    let proof = LegacyProof(
      installation: Identifier(UUIDv7.make(now: 0)), binding: Identifier(UUIDv7.make(now: 0)),
      operation: Identifier(UUIDv7.make(now: 0)), externalID: try ExternalID(checking: "canary"), issuedAt: 0,
      expiresAt: 1)
    #expect("\(proof) \(String(reflecting: proof))" == "<redacted> <redacted>")
    var dumped = ""
    dump(proof, to: &dumped)
    #expect(!dumped.contains("canary"))
  }
}
