import Foundation
import TestSupport
import Testing

@Suite("Scripted faults")
struct ScriptTests {
  private let provider = Provider()
  private let other = String(repeating: "b2", count: 32)

  private func start() async throws -> (SimulatorProcess, Curl, Push) {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    return (simulator, Curl(simulator: simulator), Push(token: try provider.token()))
  }

  @Test("A token answers as scripted, so often, with a timestamp in milliseconds")
  func token() async throws {
    let (simulator, curl, good) = try await start()
    try await simulator.post(
      "/tokens",
      json:
        "{\"token\":\"\(Push.device)\",\"status\":410,\"reason\":\"Unregistered\","
        + "\"timestamp\":1700000000123,\"times\":2}"
    )
    let answers = try await curl.send([good, good.to(other), good, good])
    #expect(answers.map(\.status) == [410, 200, 410, 200])
    #expect(answers[0].body == "{\"reason\":\"Unregistered\",\"timestamp\":1700000000123}")
    #expect(try await simulator.count("accepted") == 2)
    #expect(try await simulator.count(reason: "Unregistered") == 2)
  }

  @Test("Every documented reason can be scripted by its name alone, and unknown ones with a status")
  func reasons() async throws {
    let (simulator, curl, good) = try await start()
    try await simulator.post(
      "/tokens",
      json: """
        {"tokens":[{"prefix":"b2","reason":"TooManyRequests"},{"prefix":"b3","status":418,"reason":"Teapot"},
        {"prefix":"b4","status":500}]}
        """)
    let answers = try await curl.send(["b2b2", "b3b3", "b4b4"].map { good.to($0) })
    #expect(answers.map(\.status) == [429, 418, 500])
    #expect(answers.map(\.reason) == ["TooManyRequests", "Teapot", nil])
    #expect(answers[2].body.isEmpty)
    try await simulator.delete("/tokens")
    #expect(try await curl.send(good.to("b2b2")).status == 200)
  }

  @Test("A share of requests fails, evenly")
  func share() async throws {
    let (simulator, curl, good) = try await start()
    try await simulator.post("/script", json: "{\"rules\":[{\"share\":0.5,\"reason\":\"ServiceUnavailable\"}]}")
    #expect(try await curl.send(Array(repeating: good, count: 6)).map(\.status) == [200, 503, 200, 503, 200, 503])
    try await simulator.delete("/script")
    #expect(try await curl.send(good).status == 200)
  }

  @Test("A killed connection after a notification was taken leaves it counted and the client unsure")
  func killAfterAccept() async throws {
    let (simulator, curl, good) = try await start()
    try await simulator.post(
      "/script", json: "{\"rules\":[{\"connection_request\":2,\"times\":1,\"kill\":\"rst\",\"accept\":true}]}")
    let answers = try await curl.send([good, good.to(other)])
    #expect(answers[0].status == 200)
    // libcurl sends it again by itself on a new connection, which is how pushes double.
    #expect(try await simulator.notifications(token: other).count >= 1)
    try await simulator.wait("connections_closed=1")
  }

  @Test("RST_STREAM with a chosen code ends one stream and no other")
  func reset() async throws {
    let (simulator, curl, good) = try await start()
    try await simulator.post("/tokens", json: "{\"token\":\"\(other)\",\"reset\":[8]}")
    let answers = try await curl.send([good, good.to(other), good])
    #expect(answers.map(\.result) == [0, 92, 0])
    #expect(answers.map(\.connects).reduce(0, +) == 1)
    #expect(try await simulator.count("accepted") == 2)
  }

  @Test("A stalled stream gets no answer while others do")
  func stall() async throws {
    let (simulator, curl, good) = try await start()
    try await simulator.post("/tokens", json: "{\"token\":\"\(other)\",\"stall\":true}")
    let answers = try await curl.send([good.to(other), good], seconds: 1, arguments: ["--parallel"])
    #expect(answers[0].result == 28)
    #expect(answers[1].status == 200)
    try await simulator.wait("canceled=1")
  }

  @Test("Latency delays the answer by at least that much")
  func latency() async throws {
    let (simulator, curl, good) = try await start()
    try await simulator.post("/script", json: "{\"latency_ms\":150}")
    let start = ContinuousClock.now
    #expect(try await curl.send(good).status == 200)
    #expect(ContinuousClock.now - start >= .milliseconds(150))
  }

  @Test("The 20-minute rule and the age can be shortened")
  func tokenTimes() async throws {
    let (simulator, curl, _) = try await start()
    let now = Int64(Date().timeIntervalSince1970)
    let pushes = try [now, now - 10].map { Push(token: try provider.token(issuedAt: $0)) }
    #expect(try await curl.send(pushes).map(\.reason) == [nil, "TooManyProviderTokenUpdates"])
    try await simulator.post(
      "/script", json: "{\"validation\":{\"token_update_seconds\":0,\"token_max_age_seconds\":5}}")
    #expect(try await curl.send(pushes).map(\.reason) == [nil, "ExpiredProviderToken"])
  }

  @Test(
    "A script that is wrong is refused with all its problems and changes nothing",
    arguments: [
      "{\"rules\":[{\"share\":2}]}", "{\"rule\":[]}", "[]", "{\"rules\":[{\"stall\":true,\"status\":500}]}",
      "{\"connection\":{\"streams\":-1}}", "{\"rules\":[{\"kill\":\"maybe\"}]}", "{\"rules\":[{\"reason\":\"Own\"}]}",
    ])
  func refused(_ script: String) async throws {
    let simulator = try await SimulatorProcess()
    let (status, body) = try await simulator.admin("POST", "/script", script)
    #expect(status == 422, "\(String(decoding: body, as: UTF8.self))")
    let (broken, _) = try await simulator.admin("POST", "/script", "{")
    #expect(broken == 400)
  }
}
