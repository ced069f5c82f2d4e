import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// Every field × every way of being wrong: 4xx with its pointer, never 500, nothing written.
struct DecodingTests {
  private static let texts = ["app_version", "os_version", "model", "sdk_version"]
  private static let ids = ["external_device_id", "customer_user_id"]
  private static let flags = ["push_preference", "coppa"]
  private static let choices = ["apns_environment", "permission", "platform"]

  /// A member of the body, and what must be said about it.
  struct Case: Sendable, CustomTestStringConvertible {
    let field: String
    let json: String
    let fault: String

    var testDescription: String { "\(field): \(json.prefix(40)) → \(fault)" }
  }

  static let cases: [Case] = strings + switches + nested + numbers

  private static var strings: [Case] {
    var cases: [Case] = []
    for name in texts + ids {
      let limit = ids.contains(name) ? 256 : 64
      cases += wrongTypes(name, except: "string")
      cases += [
        Case(field: name, json: #""""#, fault: "/\(name) TOO_SHORT"),
        Case(field: name, json: quoted(String(repeating: "x", count: limit + 1)), fault: "/\(name) TOO_LONG"),
        Case(field: name, json: quoted(String(repeating: "é", count: limit / 2) + "x"), fault: "/\(name) TOO_LONG"),
        Case(field: name, json: #""a\nb""#, fault: "/\(name) BAD_FORMAT"),
        Case(field: name, json: #""a\u007f""#, fault: "/\(name) BAD_FORMAT"),
      ]
    }
    for bad in ["d", "de_DE", "de-", "-de", "de--DE", "de-x", "de-abcdefghi", "1e", "dé"] {
      cases.append(
        Case(field: "language", json: quoted(bad), fault: "/language \(bad == "d" ? "TOO_SHORT" : "BAD_FORMAT")"))
    }
    cases += wrongTypes("language", except: "string") + wrongTypes("time_zone", except: "string")
    cases.append(Case(field: "language", json: quoted(String(repeating: "a-", count: 33)), fault: "/language TOO_LONG"))
    for bad in ["/Europe", "1", "Europe Berlin", "Europe/Bérlin", "a.b"] {
      cases.append(Case(field: "time_zone", json: quoted(bad), fault: "/time_zone BAD_FORMAT"))
    }
    cases.append(
      Case(field: "time_zone", json: quoted(String(repeating: "a", count: 65)), fault: "/time_zone TOO_LONG"))
    cases += wrongTypes("push_token", except: "string")
    for bad in [
      "abcdef", "abcdef012", String(repeating: "a", count: 202), "zz345678", "０１２３４５６７", "0123 567", #"0123567\n"#,
    ] {
      cases.append(Case(field: "push_token", json: quoted(bad), fault: "/push_token BAD_FORMAT"))
    }
    cases.append(Case(field: "push_token", json: #""""#, fault: "/push_token TOO_SHORT"))
    cases.append(
      Case(field: "push_token", json: quoted(String(repeating: "a", count: 4_098)), fault: "/push_token TOO_LONG"))
    return cases
  }

  private static var switches: [Case] {
    flags.flatMap { wrongTypes($0, except: "bool") }
      + choices.flatMap { name in
        wrongTypes(name, except: "string")
          + ["", "IOS", "Production", "nothing"].map {
            Case(field: name, json: quoted($0), fault: "/\(name) NOT_ALLOWED")
          }
      }
      + [Case(field: "platform", json: "null", fault: "/platform NULL_NOT_ALLOWED")]
  }

  private static var nested: [Case] {
    var cases = wrongTypes("collection", except: "object") + wrongTypes("identifiers", except: "object")
    for name in ["enabled", "users", "events", "activity", "notification_events"] {
      cases.append(
        Case(field: "collection", json: "{\"\(name)\":1}", fault: "/collection/\(name) WRONG_TYPE"))
    }
    let hash = String(repeating: "a", count: 64)
    for (report, fault) in [
      ("7", " WRONG_TYPE"), ("{}", "/available MISSING"), (#"{"available":null}"#, "/available NULL_NOT_ALLOWED"),
      (#"{"available":"yes"}"#, "/available WRONG_TYPE"), (#"{"available":true}"#, "/hash MISSING"),
      (#"{"available":true,"hash":null}"#, "/hash MISSING"),
      (#"{"available":true,"hash":"\#(hash.dropLast())"}"#, "/hash BAD_FORMAT"),
      (#"{"available":true,"hash":"\#(hash)a"}"#, "/hash TOO_LONG"),
      (#"{"available":true,"hash":"\#(hash.dropLast())g"}"#, "/hash BAD_FORMAT"),
      (#"{"available":true,"hash":7}"#, "/hash WRONG_TYPE"),
      (#"{"available":false,"hash":"\#(hash)"}"#, "/hash CONFLICT"),
      (#"{"available":false,"value":"raw"}"#, "/value CONFLICT"),
      (#"{"available":false,"limited":1}"#, "/limited WRONG_TYPE"),
      (#"{"available":false,"message":"\#(String(repeating: "m", count: 257))"}"#, "/message TOO_LONG"),
      (#"{"available":false,"message":"\u0001"}"#, "/message BAD_FORMAT"),
    ] {
      for source in ["idfa", "idfv", "guid"] {
        cases.append(
          Case(field: "identifiers", json: "{\"\(source)\":\(report)}", fault: "/identifiers/\(source)\(fault)"))
      }
    }
    return cases
  }

  private static var numbers: [Case] {
    [
      ("0", "TOO_SMALL"), ("-1", "TOO_SMALL"), ("9007199254740992", "TOO_LARGE"),
      ("9223372036854775807", "TOO_LARGE"), ("1.0", "WRONG_TYPE"), ("1e0", "WRONG_TYPE"), ("1e300", "WRONG_TYPE"),
      (#""1""#, "WRONG_TYPE"), ("true", "WRONG_TYPE"), ("[]", "WRONG_TYPE"), ("{}", "WRONG_TYPE"),
    ].map { Case(field: "state_revision", json: $0, fault: "/state_revision \($1)") }
  }

  private static func wrongTypes(_ field: String, except type: String) -> [Case] {
    [("string", #""x""#), ("number", "1"), ("real", "1.5"), ("bool", "true"), ("array", "[]"), ("object", "{}")]
      .filter { $0.0 != type }
      .map { Case(field: field, json: $0.1, fault: "/\(field) WRONG_TYPE") }
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  private static func body(_ test: Case, _ rest: String) -> String {
    rest.contains("\"\(test.field)\"") ? "{\"\(test.field)\":\(test.json)}" : "{\(rest),\"\(test.field)\":\(test.json)}"
  }

  @Test("A wrong field of a registration is refused with its pointer", arguments: cases)
  func create(_ test: Case) throws {
    let body = Self.body(test, #""platform":"ios""#)
    let problem = try #require(throws: Problem.self) {
      _ = try InstallationCreate(JSON.parse(Array(body.utf8)))
    }
    #expect(problem.code == .bodyInvalid)
    #expect(Self.faults(problem) == [test.fault])
  }

  @Test("A wrong field of a patch is refused with its pointer", arguments: cases)
  func patch(_ test: Case) throws {
    let body = Self.body(test, #""state_revision":2"#)
    let problem = try #require(throws: Problem.self) {
      _ = try InstallationPatch(JSON.parse(Array(body.utf8)), platform: .ios)
    }
    #expect(problem.code == .bodyInvalid)
    // Absent here when the case is about another field, and required.
    let found = Self.faults(problem)
    #expect(test.field == "platform" ? found.contains(test.fault) : found == [test.fault])
  }

  @Test("All wrong fields are named at once")
  func all() throws {
    let problem = try #require(throws: Problem.self) {
      _ = try InstallationPatch(JSON.parse(Array(#"{"model":1,"coppa":"x","language":"_"}"#.utf8)), platform: .ios)
    }
    #expect(
      Set(Self.faults(problem)) == [
        "/state_revision MISSING", "/model WRONG_TYPE", "/coppa WRONG_TYPE", "/language TOO_SHORT",
      ])
    #expect(problem.error.detail == "4 fields are invalid.")
  }

  @Test("In a registration null is the same as leaving a field out")
  func nullIsAbsent() throws {
    let names = [
      "apns_environment", "push_token", "permission", "push_preference", "app_version", "os_version", "model",
      "sdk_version", "language", "time_zone", "collection", "identifiers", "external_device_id", "customer_user_id",
      "coppa", "state_revision",
    ]
    let body = #"{"platform":"ios","# + names.map { "\"\($0)\":null" }.joined(separator: ",") + "}"
    let create = try InstallationCreate(JSON.parse(Array(body.utf8)))
    #expect(create.state == DesiredState())
    #expect(create.stateRevision == 1)
  }

  @Test("Values at the edge of their limits are taken")
  func edges() throws {
    let long = String(repeating: "x", count: 64)
    let id = String(repeating: "é", count: 128)
    let body = """
      {"platform":"ios","push_token":"\(String(repeating: "aF", count: 100))","app_version":"\(long)","model":"x",
       "language":"x-a","time_zone":"\(long)","external_device_id":"\(id)","customer_user_id":"1",
       "state_revision":9007199254740991,"identifiers":{"guid":{"available":false,"message":""}}}
      """
    let create = try InstallationCreate(JSON.parse(Array(body.utf8)))
    #expect(create.stateRevision == 9_007_199_254_740_991)
    #expect(create.state.externalDeviceID == .set(id))
    let android = #"{"platform":"android","push_token":"\#(String(repeating: "~", count: 4_096))"}"#
    #expect(throws: Never.self) { try InstallationCreate(JSON.parse(Array(android.utf8))) }
  }

  @Test(
    "A language is answered in its usual spelling",
    arguments: [
      ("DE", "de"), ("de-de", "de-DE"), ("ZH-HANT-TW", "zh-Hant-TW"), ("sr-latn", "sr-Latn"), ("es-419", "es-419"),
      ("en-us-posix", "en-US-posix"), ("en-A-BBBB-x-CC-dddd", "en-a-bbbb-x-cc-dddd"), ("X-AA-bbbb", "x-aa-bbbb"),
      ("de-x-a", "de-x-a"),
    ])
  func language(_ sent: String, _ answered: String) throws {
    #expect(try #require(LanguageTag(parsing: sent)).usualSpelling == answered)
  }

  @Test(
    "A body that isn't strict JSON, or no object, is refused and nothing is written",
    arguments: [
      "", "{", "[]", "null", "7", #""x""#, #"{"platform":"ios"}x"#, #"{"platform":"ios","platform":"ios"}"#,
      #"{"platform":"ios","model":"\u0000"}"#, #"{"platform":"ios","model":"\ud800"}"#,
      "{\"platform\":\"ios\",\"model\":\"\0\"}",
      #"{"platform":"ios","state_revision":99999999999999999999}"#, #"{"platform":"ios","x":1e999}"#,
      #"{"platform":"ios","x":"# + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}",
    ])
  func notJSON(_ body: String) async throws {
    let tenant = try await Tenant.make()
    let reply = try await tenant.register(body)
    #expect(reply.status == 400)
    #expect(reply.code == "INVALID_JSON")
    #expect(reply.faults.isEmpty)
    #expect(try await tenant.installations() == 0)
  }

  @Test("Wrong fields over HTTP are 422, and nothing is written")
  func overHTTP() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    let before = try await device.read().json
    for test in Self.cases where test.json.utf8.count < 100 {
      let post = try await tenant.register(Self.body(test, #""platform":"ios""#))
      #expect(post.status == 422, "\(test.testDescription)")
      #expect(post.faults == [test.fault], "\(test.testDescription)")
    }
    let patch = try await device.patch(#"{"state_revision":2,"model":"x","app_version":1}"#)
    #expect(patch.faults == ["/app_version WRONG_TYPE"])
    #expect(try await device.read().json == before)
    #expect(try await tenant.installations() == 1)
  }

  private static func faults(_ problem: Problem) -> [String] {
    problem.error.fields.map { field in
      guard case .pointer(let pointer) = field.place else { return "?" }
      return "\(pointer) \(field.code.rawValue)"
    }
  }
}
