import Foundation
import HTTPServer
import JSON

/// The admin port: reads what the simulator knows and scripts what it does. Loopback only and without credentials.
struct AdminRoutes {
  let simulator: Simulator
  let validation: ValidationRules

  /// Bodies with ten thousand rules or tokens fit.
  static let bodyBytes = 16 * 1_024 * 1_024
  static let longestWait = 600_000

  var router: Router {
    Router(
      [
        Route(.get, "/stats") { _ in stats() },
        Route(.get, "/notifications", handle: notifications),
        Route(.get, "/wait", handle: wait),
        Route(.post, "/reset", body: .any, handle: reset),
        Route(.post, "/keys", bodyLimit: Self.bodyBytes, body: .any, handle: addKey),
        Route(.post, "/tokens", bodyLimit: Self.bodyBytes, body: .any, handle: scriptTokens),
        Route(.delete, "/tokens", body: .any) { _ in
          simulator.update { $0.laboratory.tokens = RuleSet() }
          return AdminAnswer.done
        },
        Route(.post, "/script", bodyLimit: Self.bodyBytes, body: .any, handle: setScript),
        Route(.delete, "/script", body: .any) { [validation] _ in
          simulator.update { $0.laboratory.script = FaultScript(validation: validation) }
          return AdminAnswer.done
        },
        Route(.post, "/missing", bodyLimit: Self.bodyBytes, body: .any, handle: missing),
        Route(.post, "/hold", body: .any, handle: hold),
        Route(.post, "/release", body: .any) { _ in
          simulator.release()
          return AdminAnswer.done
        },
        Route(.post, "/disconnect", body: .any) { _ in
          for mailbox in simulator.mailboxes { mailbox.put(.disconnect) }
          return AdminAnswer.done
        },
      ],
      fault: { fault, _ in AdminAnswer.refused(fault.status, "\(fault)") })
  }

  private func stats() -> Response {
    AdminAnswer.json(StatsReport.write(simulator.update { StatsReport($0) }))
  }

  private func notifications(_ request: Request) -> Response {
    let query = AdminQuery(request)
    guard let limit = query.number("limit", default: 100, in: 0...1_000_000) else { return query.refusal }
    let found = simulator.update {
      $0.ledger.notifications(token: query["token"], messageID: query["apns_id"], limit: limit)
    }
    return AdminAnswer.json(NotificationReport.write(found))
  }

  private func wait(_ request: Request) async -> Response {
    let query = AdminQuery(request)
    var condition = WaitCondition()
    let counts: [(String, WritableKeyPath<WaitCondition, Int?>)] = [
      ("accepted", \.accepted), ("received", \.received), ("held", \.held), ("canceled", \.canceled),
      ("rejected", \.rejected), ("connections_opened", \.connectionsOpened),
      ("connections_closed", \.connectionsClosed),
    ]
    for (name, path) in counts where query[name] != nil {
      guard let number = query.number(name, default: 0, in: 0...Int.max) else { return query.refusal }
      condition[keyPath: path] = number
    }
    guard let timeout = query.number("timeout_ms", default: 10_000, in: 0...Self.longestWait) else {
      return query.refusal
    }
    let isReached = await simulator.wait(for: condition, timeout: .milliseconds(timeout))
    let report = StatsReport.write(simulator.update { StatsReport($0) })
    return AdminAnswer.json(report, status: isReached ? 200 : 408)
  }

  private func reset(_ request: Request) -> Response {
    let everything = AdminQuery(request)["scripts"] == "true"
    simulator.update { [validation] state in
      state.reset()
      if everything { state.laboratory = Laboratory(validation: validation) }
    }
    if everything { simulator.release() }
    return AdminAnswer.done
  }

  private func addKey(_ request: Request) -> Response {
    AdminAnswer.reading(request, KeyReader.key) { key in
      guard let key else { return AdminAnswer.done }
      return simulator.update { $0.keys.add(key) } ? AdminAnswer.done : AdminAnswer.refused(409, "too many keys")
    }
  }

  private func scriptTokens(_ request: Request) -> Response {
    let reader = ScriptReader(base: validation)
    return AdminAnswer.reading(request, reader.tokenRules) { rules in
      let isAdded = simulator.update { state in rules.allSatisfy { state.laboratory.tokens.add($0) } }
      return isAdded ? AdminAnswer.done : AdminAnswer.refused(409, "too many rules")
    }
  }

  private func setScript(_ request: Request) -> Response {
    AdminAnswer.reading(request, ScriptReader(base: validation).script) { script in
      simulator.update { $0.laboratory.script = script }
      return AdminAnswer.done
    }
  }

  /// Which of these device tokens never had a notification taken for them.
  private func missing(_ request: Request) -> Response {
    let read = { (object: ObjectReader) in
      (object.requiredArray("tokens", count: 0...1_000_000) ?? []).compactMap { $0.string(bytes: 1...200) }
    }
    return AdminAnswer.reading(request, read) { tokens in
      let lost = simulator.update { state in tokens.filter { !state.ledger.hasSeen(token: $0) } }
      var writer = JSONWriter()
      writer.beginObject()
      writer.member("count", lost.count)
      writer.key("tokens")
      writer.beginArray()
      for token in lost { writer.value(token) }
      writer.endArray()
      writer.endObject()
      return AdminAnswer.json(writer.bytes)
    }
  }

  private func hold(_ request: Request) -> Response {
    let query = AdminQuery(request)
    guard let after = query.number("after", default: 0, in: 0...Int.max) else { return query.refusal }
    simulator.update {
      $0.isHolding = true
      $0.answersBeforeHold = after
    }
    return AdminAnswer.done
  }
}
