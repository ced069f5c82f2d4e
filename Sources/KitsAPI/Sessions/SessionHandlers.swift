internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// What an installation tells about its sessions (K6).
struct SessionHandlers: Sendable {
  let installations: InstallationStore
  let gate: Gate
  let answers: Answers

  init(_ surroundings: Surroundings) {
    installations = surroundings.installations
    gate = surroundings.gate
    answers = surroundings.answers
  }

  var routes: [Route] {
    [
      Route(
        .post, "/v1/installations/{id}/sessions", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, report) })
    ]
  }

  @Sendable private func admit(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      try InstallationHandlers.require(gate.deviceToken(head), owns: parameters)
      try QueryReader.refuseAny(head)
    }
  }

  /// `POST /v1/installations/{id}/sessions`
  func report(_ request: Request) async throws(Problem) -> Response {
    let token = try gate.deviceToken(request.head)
    let body = try SessionBody(try request.object())
    let report = SessionReport(
      app: token.app, installation: token.installation, generation: token.generation, session: body.session,
      number: body.number, startedAt: body.startedAt, foregroundSeconds: body.foregroundSeconds)
    // A report tells everything so far: a second one of the same changes nothing.
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.record(report, deadline: deadline)
    }
    switch answer {
    case .totals(let totals, let recorded): return .json(200, Self.json(totals, recorded: recorded))
    case .collectionOff: throw .collectionOff("activity")
    case .tokenInvalid: throw .endedDeviceToken
    }
  }

  /// `SessionTotals` of the contract.
  private static func json(_ totals: SessionTotals, recorded: Bool) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("recorded", recorded)
    json.member("session_count", totals.count)
    json.member("foreground_seconds", totals.foregroundSeconds)
    json.member("first_session_at", totals.firstAt)
    json.member("last_session_at", totals.lastAt)
    json.endObject()
    return json
  }
}

extension Problem {
  /// What a device doesn't consent to is refused, never dropped in silence (K2).
  static func collectionOff(_ feature: String) -> Problem {
    Problem(
      .collectionOff, "The installation has switched off collection, or its feature \(feature). Nothing was kept.")
  }
}
