import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// The state table of `docs/identity.md`, row 34: what isn't said exactly changes nothing.
@Suite("Bodies of logins and logouts", .serialized)
struct IdentityBodyTests {
  private static let ids = #""operation_id":"01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70","expected_binding_id":"$""#

  private static let wrong: [(members: String, faults: [String])] = [
    ("", ["/expected_binding_id MISSING", "/operation_id MISSING"]),
    (#"{"external_id":"a"}"#, ["/expected_binding_id MISSING", "/operation_id MISSING"]),
    (#"{\#(ids),"external_id":null}"#, ["/external_id NULL_NOT_ALLOWED"]),
    (#"{\#(ids),"token":null}"#, ["/token NULL_NOT_ALLOWED"]),
    (#"{\#(ids),"expected_policy_revision":null}"#, ["/expected_policy_revision NULL_NOT_ALLOWED"]),
    (#"{\#(ids),"expected_policy_revision":0}"#, ["/expected_policy_revision TOO_SMALL"]),
    (#"{\#(ids),"expected_policy_revision":1.0}"#, ["/expected_policy_revision WRONG_TYPE"]),
    (#"{\#(ids),"externalId":"a"}"#, ["/externalId UNKNOWN_FIELD"]),
    (#"{\#(ids),"external_ID":"a"}"#, ["/external_ID UNKNOWN_FIELD"]),
    (#"{\#(ids),"user":"a"}"#, ["/user UNKNOWN_FIELD"]),
    (#"{\#(ids),"external_id":"a","token":"b"}"#, ["/external_id CONFLICT"]),
    (#"{\#(ids),"external_id":1}"#, ["/external_id WRONG_TYPE"]),
    (#"{\#(ids),"external_id":{"external_id":"a"}}"#, ["/external_id WRONG_TYPE"]),
    (#"{\#(ids),"external_id":""}"#, ["/external_id TOO_SHORT"]),
    (#"{\#(ids),"external_id":" "}"#, ["/external_id BAD_FORMAT"]),
    (#"{\#(ids),"external_id":"a\u0007"}"#, ["/external_id BAD_FORMAT"]),
    (#"{\#(ids),"external_id":"\u202Ea"}"#, ["/external_id BAD_FORMAT"]),
    (#"{\#(ids),"external_id":"\#(String(repeating: "a", count: 257))"}"#, ["/external_id TOO_LONG"]),
    (#"{\#(ids),"token":["a"]}"#, ["/token WRONG_TYPE"]),
    (
      #"{"operation_id":null,"expected_binding_id":"x"}"#,
      [
        "/expected_binding_id BAD_FORMAT", "/operation_id NULL_NOT_ALLOWED",
      ]
    ),
  ]

  @Test("Row 34: unknown members, nulls and wrong values are 422, all of them named, and change nothing")
  func refused() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let bound = try await device.login("alice")
    let binding = try #require(bound.bindingID)
    for (members, faults) in Self.wrong {
      let json = (members.isEmpty ? "{}" : members).replacing("$", with: binding)
      let reply = try await device.running.send("POST", device.path + "/identity", headers: device.bearer, json: json)
      #expect(reply.outcome == "422 BODY_INVALID", "\(members)")
      #expect(reply.faults.sorted() == faults, "\(members)")
    }
    #expect(try await device.binding().text == "alice #2")
    #expect(try await scene.operations(of: device) == 1)
  }

  @Test("Row 34: twice the same member, no object and no JSON are refused", arguments: ["dup", "[]", "{", "null"])
  func notJSON(_ kind: String) async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let ids = Self.ids.replacing("$", with: try await device.binding().id)
    let json = kind == "dup" ? #"{\#(ids),"external_id":"a","external_id":"b"}"# : kind
    let reply = try await device.running.send("POST", device.path + "/identity", headers: device.bearer, json: json)
    #expect(reply.outcome == "400 INVALID_JSON")
    #expect(try await device.binding().text == "nobody #1")
  }

  @Test("Row 34: a user's id may have 256 bytes")
  func longest() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let user = String(repeating: "é", count: 128)
    #expect(try await device.login(user).outcome == "200 bound: \(user) #2")
  }

  @Test("SEC-J28: a token in the query or in a header of its own is no token", arguments: ["query", "header"])
  func otherPlace(_ place: String) async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    _ = try await device.login(token: scene.token("alice"))
    let token = try scene.token("bob")
    let ids = Self.ids.replacing("$", with: try await device.binding().id)
    let target = device.path + "/identity" + (place == "query" ? "?token=\(token)" : "")
    let headers = place == "query" ? [] : [("X-Identity-Token", token)]
    let reply = try await device.running.send("POST", target, headers: device.bearer + headers, json: "{\(ids)}")
    // Without a token in the body it is what it says it is: a logout.
    #expect(reply.outcome == (place == "query" ? "400 QUERY_INVALID" : "200 logged_out: nobody #3"))
    #expect(!String(decoding: reply.body, as: UTF8.self).contains(token))
    let asked = try await device.running.send("GET", target, headers: device.bearer)
    #expect(asked.status == (place == "query" ? 400 : 200))
  }

  @Test("SEC-J28: a token is no device token")
  func asBearer() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let reply = try await device.running.send(
      "POST", device.path + "/identity", headers: [("Authorization", "Bearer \(try scene.token("alice"))")], json: "{}")
    #expect(reply.outcome == "401 DEVICE_TOKEN_INVALID")
  }

  @Test(
    "Row 34: a backend's bodies are as strict",
    arguments: [
      ("identify", #"{\#(ids)}"#, "/external_id MISSING"),
      ("identify", #"{\#(ids),"external_id":null}"#, "/external_id NULL_NOT_ALLOWED"),
      ("identify", #"{\#(ids),"external_id":"a","token":"b"}"#, "/token UNKNOWN_FIELD"),
      ("logout", #"{\#(ids),"external_id":"a"}"#, "/external_id UNKNOWN_FIELD"),
      ("logout", #"{\#(ids),"expected_policy_revision":1}"#, "/expected_policy_revision UNKNOWN_FIELD"),
    ])
  func backend(_ route: String, _ body: String, _ fault: String) async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let key = try await scene.tenant.serverKey([.usersWrite]).secret
    let reply = try await device.running.send(
      "POST", device.path + "/" + route, headers: [("Authorization", "Bearer \(key.text)")],
      json: body.replacing("$", with: try await device.binding().id))
    #expect(reply.outcome == "422 BODY_INVALID")
    #expect(reply.faults == [fault])
    #expect(try await device.binding().text == "nobody #1")
  }
}
