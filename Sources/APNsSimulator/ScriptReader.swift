import JSON

/// Reads fault scripts. Every problem is reported with its pointer; a script with one is not taken at all.
struct ScriptReader {
  /// What a script that says nothing about validation keeps.
  let base: ValidationRules

  private static let milliseconds: ClosedRange<Int64> = 0...3_600_000
  private static let clockOffsets: ClosedRange<Int64> = -86_400...86_400
  private static let counts: ClosedRange<Int64> = 0...1_000_000_000
  private static let codes: ClosedRange<Int64> = 0...Int64(UInt32.max)

  func script(_ object: ObjectReader) -> FaultScript {
    var script = FaultScript(validation: base)
    script.latencyMilliseconds = Int(object.integer("latency_ms", in: Self.milliseconds) ?? 0)
    if let connection = object.object("connection") { script.connection = self.connection(connection) }
    if let validation = object.object("validation") { script.validation = self.validation(validation) }
    for element in object.array("rules", count: 0...RuleSet.limit) ?? [] {
      guard let reader = element.object() else { continue }
      // The count above is the limit of the set, so there is always room.
      _ = script.rules.add(rule(reader))
    }
    object.refuseUnknown()
    return script
  }

  /// One `{token | prefix, status, reason, …}`, or `{tokens: [...]}` with many.
  func tokenRules(_ object: ObjectReader) -> [FaultRule] {
    guard object.has("tokens") else { return [tokenRule(object)] }
    defer { object.refuseUnknown() }
    return (object.array("tokens", count: 0...RuleSet.limit) ?? []).compactMap { $0.object().map(tokenRule) }
  }

  private func tokenRule(_ object: ObjectReader) -> FaultRule {
    if !object.has("token"), !object.has("prefix"), !object.has("token_prefix") {
      object.refuse("token", .missing, "It, or prefix, is required.")
    }
    return rule(object)
  }

  private func rule(_ object: ObjectReader) -> FaultRule {
    var rule = FaultRule()
    if let token = object.string("token", bytes: 1...200) { rule.token = .exact(token.lowercased()) }
    for name in ["prefix", "token_prefix"] {
      if let prefix = object.string(name, bytes: 0...200) { rule.token = .prefix(prefix.lowercased()) }
    }
    rule.share = object.number("share", in: 0...1) ?? 1
    rule.after = Int(object.integer("after", in: Self.counts) ?? 0)
    rule.times = object.integer("times", in: Self.counts, nullIsAbsent: true).map(Int.init)
    rule.connectionRequest = object.integer("connection_request", in: Self.counts).map(Int.init)
    rule.latencyMilliseconds = Int(object.integer("latency_ms", in: Self.milliseconds) ?? 0)
    rule.accept = object.bool("accept")
    rule.fault = fault(object)
    object.refuseUnknown()
    return rule
  }

  private func fault(_ object: ObjectReader) -> Fault {
    var faults: [Fault] = []
    if let answer = answer(object) { faults.append(.answer(answer)) }
    if let codes = object.array("reset", count: 1...16) {
      faults.append(.reset(codes.compactMap { $0.integer(in: Self.codes).map { UInt32($0) } }))
    }
    if object.bool("stall") == true { faults.append(.stall) }
    if object.bool("silence") == true { faults.append(.silence) }
    if let hard = object.choice("kill", ["fin": false, "rst": true]) { faults.append(.kill(hard: hard)) }
    if let goaway = object.object("goaway") { faults.append(.goaway(self.goaway(goaway))) }
    if faults.count > 1 {
      object.refuse("status", .conflict, "A rule has one of status, reset, stall, silence, kill and goaway.")
    }
    return faults.first ?? .none
  }

  private func answer(_ object: ObjectReader) -> Answer? {
    let status = object.integer("status", in: 200...599)
    let reason = object.string("reason", bytes: 1...200, nullIsAbsent: true)
    let timestamp = object.integer("timestamp", in: 0...Int64.max, nullIsAbsent: true)
    let frameBytes = object.integer("frame_bytes", in: 1...16_384)
    let known = reason.flatMap(Reason.init(rawValue:))
    guard let status = status.map(Int.init) ?? known?.status else {
      if reason != nil { object.refuse("status", .missing, "It is required with a reason of one's own.") }
      return nil
    }
    return Answer(status: status, reason: reason, timestamp: timestamp, frameBytes: frameBytes.map(Int.init))
  }

  private func goaway(_ object: ObjectReader) -> GoAway {
    defer { object.refuseUnknown() }
    return GoAway(
      code: UInt32(object.integer("code", in: Self.codes) ?? 0), reason: object.string("reason", bytes: 1...200),
      text: object.string("text", bytes: 0...1_000), refuse: Int(object.integer("refuse", in: 0...1_000_000) ?? 0),
      graceful: object.bool("graceful") ?? false, twice: object.bool("twice") ?? false,
      close: object.bool("close") ?? false)
  }

  private func connection(_ object: ObjectReader) -> ConnectionScript {
    var script = ConnectionScript()
    script.initialStreams = object.integer("initial_streams", in: Self.codes).map { UInt32($0) } ?? 1
    script.streams = object.integer("streams", in: Self.codes).map { UInt32($0) } ?? 1_000
    script.collapseAfterError = object.bool("collapse_after_error") ?? false
    script.wedgeOnExpiredToken = object.bool("wedge_on_expired_token") ?? false
    script.spoilOnTokenUpdate = object.bool("spoil_on_token_update") ?? false
    script.clockOffsetSeconds = object.integer("clock_offset_seconds", in: Self.clockOffsets) ?? 0
    script.goawayBeforeSettings = object.object("goaway_before_settings").map(goaway)
    script.readPauseMilliseconds = Int(object.integer("read_pause_ms", in: Self.milliseconds) ?? 0)
    script.resetsPerSecond = object.integer("resets_per_second", in: Self.counts).map { UInt64($0) }
    object.refuseUnknown()
    return script
  }

  private func validation(_ object: ObjectReader) -> ValidationRules {
    var rules = base
    if let age = object.integer("token_max_age_seconds", in: 1...86_400) { rules.tokenMaxAgeSeconds = age }
    if let interval = object.integer("token_update_seconds", in: 0...86_400) { rules.tokenUpdateSeconds = interval }
    if let environment = object.choice(
      "environment", ["production": PushEnvironment.production, "sandbox": .sandbox], nullIsAbsent: true)
    {
      rules.environment = environment
    }
    object.refuseUnknown()
    return rules
  }
}
