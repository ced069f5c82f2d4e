import Foundation
import JSON

/// Messages to everyone with and without somebody who is told of them, in turn: telling must not cost delivery.
struct WebhookMeasurement {
  let stage: Stage
  let options: BenchOptions

  private static let types = [
    "message.created", "message.started", "message.completed", "notification.received", "installation.unregistered",
  ]
  private static let hooks = 4
  private static let patience = 30.0

  func run() throws(BenchError) -> [Figure] {
    try stage.restart(with: SIGTERM, ["KITS_WEBHOOK_ALLOW_PRIVATE": "on"])
    try Audience(stage: stage, app: .counted).load(options.installations)
    let receiver = try HookReceiver()
    var hooks: [String] = []
    for _ in 0..<Self.hooks { hooks.append(try create(receiver)) }
    try enable(hooks, false)
    var ratios: [(ratio: Double, off: Double, on: Double)] = []
    for number in 1...options.rounds {
      Progress.say("webhooks, round \(number): off")
      let off = try Fanout(stage: stage, count: options.installations).run().rate
      try enable(hooks, true)
      Progress.say("webhooks, round \(number): on")
      let on = try Fanout(stage: stage, count: options.installations).run().rate
      try settle(receiver, atLeast: number * Self.hooks * 3)
      try enable(hooks, false)
      ratios.append((on / off, off, on))
    }
    let sorted = ratios.sorted { $0.ratio < $1.ratio }
    let middle = sorted[sorted.count / 2]
    return [
      Figure(
        "deliveries with webhooks", middle.on, "/s", against: middle.off, "without", target: .atLeast(0.95),
        note: "\(Self.hooks) webhooks, \(receiver.count) requests; median of \(ratios.count) rounds"),
      try throughput(hooks, receiver),
    ]
  }

  /// How fast events leave when there are many: reports of one message are sent one after the other to each webhook.
  private func throughput(_ hooks: [String], _ receiver: HookReceiver) throws(BenchError) -> Figure {
    let count = 2_000
    try enable([hooks[0]], true)
    let before = receiver.count
    Progress.say("webhooks: \(count) events of many messages")
    try stage.database.rows(
      """
      INSERT INTO outbox_event (app_no, type, subject, data)
      SELECT \(stage.keys(.counted).number), 7, gen_random_uuid(), '{"notifications": []}'
      FROM generate_series(1, \(count))
      """)
    let start = Moment.monotonic
    try settle(receiver, atLeast: before + count)
    return Figure("events to one webhook", Double(count) / Moment.seconds(since: start), "/s", note: "on this machine")
  }

  /// Waits until everything was told.
  private func settle(_ receiver: HookReceiver, atLeast count: Int) throws(BenchError) {
    let start = Moment.monotonic
    while receiver.count < count {
      guard Moment.seconds(since: start) < Self.patience else {
        throw BenchError("the receiver got \(receiver.count) of \(count)")
      }
      usleep(5_000)
    }
  }

  private func create(_ receiver: HookReceiver) throws(BenchError) -> String {
    let types = Self.types.map { "\"\($0)\"" }.joined(separator: ",")
    let answer = try call(
      "POST", "/v1/webhooks", #"{"url":"http://127.0.0.1:\#(receiver.port)/","event_types":[\#(types)]}"#)
    guard let id = answer["id"]?.string else { throw BenchError("a webhook has no id") }
    return id
  }

  private func enable(_ hooks: [String], _ isEnabled: Bool) throws(BenchError) {
    // What happened meanwhile is not to be caught up with.
    if isEnabled { try stage.database.rows("UPDATE webhook SET cursor = (SELECT last FROM outbox_feed)") }
    for hook in hooks { _ = try call("PATCH", "/v1/webhooks/\(hook)", #"{"enabled":\#(isEnabled)}"#) }
  }

  private func call(_ method: String, _ path: String, _ body: String) throws(BenchError) -> JSONObject {
    let wire = try HTTPWire(port: stage.apiPort)
    let answer = try wire.call(method, path, headers: [MessageCalls.authorization(stage)], body: body)
    guard answer.status < 300 else {
      throw BenchError("\(method) \(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }
    return answer.json
  }
}
