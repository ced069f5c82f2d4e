internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// What an app tells of its user, and of what the user does (K2, T13).
struct ActivityHandlers: Sendable {
  let events: EventStore
  let rate: EventRate
  let gate: Gate
  let answers: Answers
  let observe: @Sendable (APIEvent) -> Void

  init(_ surroundings: Surroundings) {
    events = surroundings.events
    rate = surroundings.eventRate
    gate = surroundings.gate
    answers = surroundings.answers
    observe = surroundings.observe
  }

  var routes: [Route] {
    [
      Route(
        .post, "/v1/installations/{id}/activity", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, report) })
    ]
  }

  @Sendable private func admit(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      try InstallationHandlers.require(gate.deviceToken(head), owns: parameters)
      try QueryReader.refuseAny(head)
    }
  }

  /// `POST /v1/installations/{id}/activity`
  func report(_ request: Request) async throws(Problem) -> Response {
    let token = try gate.deviceToken(request.head)
    let items = try ActivityItems(try request.object()).items
    try rate.admit(items.count, of: token.app)
    let report = ActivityReport(
      app: token.app, installation: token.installation, generation: token.generation, records: items.compactMap { $0 })
    // The first record of an id wins: telling it again changes nothing.
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await events.record(report, deadline: deadline)
    }
    guard case .records(let told) = answer else { throw .endedDeviceToken }
    return .json(200, try results(items, told))
  }

  private func results(_ items: [ActivityReport.Record?], _ told: [ActivityAnswer]) throws(Problem) -> JSONWriter {
    var rest = told[...]
    var results: [RecordResult] = []
    for item in items {
      var result = RecordResult.refused(.recordInvalid)
      if item != nil {
        guard let answer = rest.popFirst() else { throw .internalFault("a record was not answered") }
        result = RecordResult(answer)
      }
      results.append(result)
      observe(.activityAnswered(type: item?.type, result))
    }
    return RecordResult.json(results)
  }
}
