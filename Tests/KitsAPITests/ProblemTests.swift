import HTTPServer
import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

struct ProblemTests {
  @Test("A problem has all members of the contract and the headers of its status", arguments: KitsError.Code.allCases)
  func rendering(_ code: KitsError.Code) throws {
    let fields = [
      KitsError.FieldFault(.pointer("/a~1b"), .tooLong, "Too long."),
      KitsError.FieldFault(.parameter("limit"), .tooLarge, "Too large."),
    ]
    let response = Problem(code, "What happened.", fields: fields).response(requestID: "r-1")
    let json = try JSON.parse(response.body)
    let expected: JSONValue = .object([
      "type": .string("urn:kits:problem:\(code.rawValue)"), "title": .string(code.title),
      "status": .integer(Int64(code.status)), "code": .string(code.rawValue), "detail": .string("What happened."),
      "retryable": .bool(code.isRetryable), "request_id": .string("r-1"),
      "errors": .array([
        .object(["pointer": .string("/a~1b"), "code": .string("TOO_LONG"), "detail": .string("Too long.")]),
        .object(["parameter": .string("limit"), "code": .string("TOO_LARGE"), "detail": .string("Too large.")]),
      ]),
    ])
    #expect(json == expected)
    #expect(response.status == code.status)
    #expect(response.headers.all("Content-Type") == ["application/problem+json"])
    #expect(response.headers.all("Cache-Control") == ["no-store"])
    #expect(response.headers.all("WWW-Authenticate") == (code.status == 401 ? ["Bearer"] : []))
    #expect(response.headers.all("Retry-After") == ([429, 503].contains(code.status) ? ["1"] : []))
  }

  @Test("Extension members come as they are, and at most 100 fields are listed")
  func extensions() throws {
    let field = KitsError.FieldFault(.pointer("/x"), .missing, "It is required.")
    var problem = Problem(.stateRevisionReused, "Reused.", fields: Array(repeating: field, count: 101))
    problem.members = [("current", Array(#"{"id":1}"#.utf8))]
    let json = try JSON.parse(problem.response(requestID: "r").body)
    #expect(json.at("current", "id")?.integer == 1)
    #expect(json["errors"]?.array?.count == 100)
  }

  @Test("The cause of an internal fault is observed in full and shown as nothing")
  func internalFault() throws {
    let events = RunningAPI.Recorder()
    let answers = Answers(observe: { events.record($0) })
    let response = answers.problem(.internalFault("secret cause"), requestID: "r-2")
    #expect(!String(decoding: response.body, as: UTF8.self).contains("secret cause"))
    let isObserved = events.all.contains {
      if case .internalFault("r-2", "secret cause") = $0 { true } else { false }
    }
    #expect(isObserved)
  }

  @Test(
    "A fault of HTTP becomes the code with its status",
    arguments: [
      HTTPFault.notFound, .methodNotAllowed(allow: [.get]), .unsupportedMediaType, .payloadTooLarge(limit: 0),
      .payloadTooLarge(limit: 9), .uriTooLong, .headersTooLarge, .badRequest(reason: "x"), .expectationFailed,
      .timeout, .notImplemented, .overloaded, .shuttingDown,
    ])
  func faults(_ fault: HTTPFault) {
    #expect(Problem(fault).code.status == fault.status)
  }

  static let databaseFaults: [(PostgresError, KitsError.Code)] = [
    (.unavailable("x"), .databaseUnavailable), (.outcomeUnknown("x"), .outcomeUnknown), (.deadline, .overloaded),
    (.overloaded, .overloaded), (.cancelled, .shuttingDown), (.decode("x"), .internalFault),
    (.parameter(index: 1, "x"), .internalFault), (.batch("x"), .internalFault),
    (.server(ServerError(sqlState: "42P01", statement: "S")), .internalFault),
    (.server(ServerError(sqlState: "23505", constraint: "app_id_key", statement: "S")), .internalFault),
    (
      .server(ServerError(sqlState: "23505", constraint: "idempotency_key_pkey", statement: "S")),
      .idempotencyKeyReused
    ), (.server(ServerError(sqlState: "40P01", statement: "S")), .overloaded),
    (.server(ServerError(sqlState: "53300", statement: "S")), .overloaded),
    (.server(ServerError(sqlState: "57014", statement: "S")), .overloaded),
    (.server(ServerError(sqlState: "57P01", statement: "S")), .databaseUnavailable),
    (.server(ServerError(sqlState: "25006", statement: "S")), .databaseUnavailable),
  ]

  @Test("An error of the database becomes what the client may conclude from it", arguments: databaseFaults)
  func database(_ error: PostgresError, _ code: KitsError.Code) {
    let problem = Problem(error, repeatingIsHarmless: true)
    #expect(problem.code == code)
    #expect(problem.isRetryable == code.isRetryable)
    #expect(problem.cause != nil)
  }

  @Test("After an unknown outcome a retry helps only where repeating is harmless", arguments: [true, false])
  func unknownOutcome(_ isHarmless: Bool) {
    #expect(Problem(StoreError.outcomeUnknown("x"), repeatingIsHarmless: isHarmless).isRetryable == isHarmless)
  }
}
