import Foundation
import JSON

/// Messages to one device, one after the other: how long until the push service has each, and until its POST is
/// answered.
struct LatencyMeasurement {
  let stage: Stage
  private static let count = 300
  private static let warmUp = 10

  func run() throws(BenchError) -> [Figure] {
    let device = try register(try stage.keys(.single))
    let calls = try MessageCalls(stage, .single)
    let simulator = try HTTPWire(port: stage.checkingSimulator.adminPort)
    try simulator.post("/reset")
    Progress.say("latency, \(Self.count) messages to one device")
    var sent: [Int64] = []
    var answers: [Double] = []
    for number in 1...(Self.count + Self.warmUp) {
      let start = Moment.wallMicroseconds
      try calls.create(target: #"{"installation_ids":["\#(device)"]}"#)
      answers.append(Double(Moment.wallMicroseconds - start) / 1_000)
      sent.append(start)
      let waited = try simulator.call("GET", "/wait?accepted=\(number)&timeout_ms=20000")
      guard waited.status == 200 else { throw BenchError("message \(number) did not reach the simulator within 20 s") }
    }
    let came = try received(simulator)
    guard came.count == sent.count else { throw BenchError("\(came.count) of \(sent.count) notifications found") }
    let arrivals = Percentiles(zip(sent, came).dropFirst(Self.warmUp).map { Double($1 - $0) / 1_000 })
    let replies = Percentiles(answers.dropFirst(Self.warmUp))
    let note = "\(Self.count) messages to one device, in sequence"
    return [
      Figure("create → push service, p50", arrivals[0.5], "ms", note: note),
      Figure("create → push service, p99", arrivals[0.99], "ms"),
      Figure("create → answer, p50", replies[0.5], "ms"),
      Figure("create → answer, p99", replies[0.99], "ms"),
    ]
  }

  /// A device of the sandbox, whose simulator notes when each notification came.
  private func register(_ app: Stage.AppKeys) throws(BenchError) -> String {
    let token = String(repeating: "ab", count: 32)
    let body =
      #"{"platform":"ios","push_token":"\#(token)","apns_environment":"sandbox",\#(RegistrationRequest.state)}"#
    let answer = try HTTPWire(port: stage.apiPort).call(
      "POST", "/v1/installations", headers: ["X-Kits-Public-Key: \(app.publicKey)"], body: body)
    guard answer.status == 201, let id = answer.json["id"]?.string else {
      throw BenchError("POST /v1/installations: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }
    return id
  }

  /// When each came, in microseconds, the oldest first.
  private func received(_ simulator: HTTPWire) throws(BenchError) -> [Int64] {
    let report = try simulator.get("/notifications?limit=10000")
    let times = (report["notifications"]?.array ?? []).compactMap { $0.object?["received_at_us"]?.integer }
    return times.sorted()
  }
}
