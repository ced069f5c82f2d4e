import Foundation
import TestSupport
import Testing

@testable import APNsSimulator

@Suite("Requests by a real HTTP/2 client")
struct WireTests {
  private let provider = Provider()

  private func start(_ arguments: [String] = []) async throws -> (SimulatorProcess, Curl) {
    let simulator = try await SimulatorProcess(arguments: arguments, keys: [provider.registration])
    return (simulator, Curl(simulator: simulator))
  }

  @Test("Every deviation gets its status and reason over the wire, on one connection, and is counted")
  func deviations() async throws {
    let (simulator, curl) = try await start()
    // curl refuses to send an empty header value; those cases are covered without a network.
    let cases = Case.routes + Case.devices + Case.headers + Case.topics + Case.payloads
    let good = Push(token: try provider.token())
    let answers = try await curl.send(cases.map { $0.change(good) })
    for (example, answer) in zip(cases, answers) {
      #expect(answer.reason == example.reason?.rawValue, "\(example.name)")
      #expect(answer.status == example.reason?.status ?? 200, "\(example.name)")
      #expect(answer.id != nil, "\(example.name)")
    }
    #expect(answers.map(\.connects).reduce(0, +) == 1)
    let expected = Dictionary(cases.compactMap { $0.reason.map { ($0.rawValue, 1) } }, uniquingKeysWith: +)
    #expect(try await simulator.stats()["reasons"] as? [String: Int] == expected)
    #expect(try await simulator.count("accepted") == cases.count { $0.reason == nil })
    #expect(try await simulator.count("received") == cases.count)
  }

  @Test("Success is 200 with the client's apns-id, or one made for it, and no body")
  func success() async throws {
    let (_, curl) = try await start()
    let good = Push(token: try provider.token())
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
    let answers = try await curl.send([good.with("apns-id", id), good])
    #expect(answers[0] == Curl.Answer(result: 0, status: 200, connects: 1, id: id, body: ""))
    #expect(answers[1].status == 200)
    #expect(answers[1].uniqueID == nil)
    #expect(MessageID.isCanonical(try #require(answers[1].id)))
  }

  @Test("A notification is remembered byte for byte with its headers, without the credential")
  func remembered() async throws {
    let (simulator, curl) = try await start()
    let body = "{\"aps\":{\"alert\":\"Grüße 👋\"},\"data\":{\"n\":1.50}}"
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
    let push = Push(token: try provider.token()).with("apns-id", id).with("apns-collapse-id", "c").body(body)
    let before = Date().timeIntervalSince1970 * 1e6
    _ = try await curl.send(push)
    let all = try await simulator.notifications(token: Push.device.uppercased())
    let one = try #require(all.first)
    #expect(all.count == 1)
    #expect(one["apns_id"] as? String == id)
    #expect(one["token"] as? String == Push.device)
    #expect(one["payload"] as? String == body)
    #expect(one["payload_base64"] as? String == Data(body.utf8).base64EncodedString())
    let headers = try #require(one["headers"] as? [String: String])
    #expect(headers["apns-topic"] == "com.example.app")
    #expect(headers["apns-collapse-id"] == "c")
    #expect(headers["authorization"] == nil)
    let received = try #require(one["received_at_us"] as? Int)
    #expect(Double(received) >= before - 1 && Double(received) <= Date().timeIntervalSince1970 * 1e6)
    let byID = try await simulator.get("/notifications?apns_id=\(id)")["notifications"] as? [Any]
    #expect(byID?.count == 1)
  }

  @Test("Duplicates, replacements and devices are counted; a reset forgets them and keeps keys")
  func counts() async throws {
    let (simulator, curl) = try await start(["--remember", "2"])
    let good = Push(token: try provider.token()).with("apns-collapse-id", "score")
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
    let other = String(repeating: "b2", count: 32)
    _ = try await curl.send([good.with("apns-id", id), good.to(other), good.with("apns-id", id)])
    #expect(try await simulator.count("accepted") == 3)
    #expect(try await simulator.count("duplicate_apns_ids") == 1)
    #expect(try await simulator.count("replaced") == 1)
    #expect(try await simulator.count("distinct_tokens") == 2)
    #expect(try await simulator.count("remembered") == 2)
    let lost = try await simulator.post("/missing", json: "{\"tokens\":[\"\(other)\",\"cc\"]}")
    #expect(lost["tokens"] as? [String] == ["cc"])
    try await simulator.post("/reset")
    #expect(try await simulator.count("accepted") == 0)
    #expect(try await simulator.notifications(token: Push.device).isEmpty)
    #expect(try await curl.send(good).status == 200)
  }

  @Test("A key of the other environment is told by the host name")
  func environmentByHost() async throws {
    let simulator = try await SimulatorProcess()
    let sandbox = Provider(environment: .sandbox)
    try await simulator.add(sandbox.registration)
    var push = Push(token: try sandbox.token())
    push.authority = "api.push.apple.com"
    #expect(try await Curl(simulator: simulator).send(push).reason == "BadEnvironmentKeyIdInToken")
    push.authority = "api.sandbox.push.apple.com"
    let answer = try await Curl(simulator: simulator).send(push)
    #expect(answer.status == 200)
    #expect(answer.uniqueID != nil, "only the sandbox names the entry in the delivery log")
  }
}
