internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// What an app tells of the deliveries that it got (K9).
struct EventHandlers: Sendable {
  let events: EventStore
  let proof: DeliveryProof
  let rate: EventRate
  let gate: Gate
  let answers: Answers
  let observe: @Sendable (APIEvent) -> Void

  init(_ surroundings: Surroundings) {
    events = surroundings.events
    proof = DeliveryProof(keys: surroundings.keys)
    rate = surroundings.eventRate
    gate = surroundings.gate
    answers = surroundings.answers
    observe = surroundings.observe
  }

  var routes: [Route] {
    [
      Route(
        .post, "/v1/installations/{id}/notification-events", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, report) })
    ]
  }

  @Sendable private func admit(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      try InstallationHandlers.require(gate.deviceToken(head), owns: parameters)
      try QueryReader.refuseAny(head)
    }
  }

  /// `POST /v1/installations/{id}/notification-events`
  func report(_ request: Request) async throws(Problem) -> Response {
    let token = try gate.deviceToken(request.head)
    let items = try EventItems(try request.object(), of: token, proof)
    try rate.admit(items.items.count, of: token.app)
    let report = EventReport(
      app: token.app, installation: token.installation, reporter: .app(generation: token.generation),
      events: items.events)
    // The first write of an event wins: telling it again changes nothing.
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await events.record(report, deadline: deadline)
    }
    guard case .events(let told) = answer else { throw .endedDeviceToken }
    return .json(200, try results(items, told))
  }

  /// `RecordResults` of the contract: one for each item, in their order.
  private func results(_ items: EventItems, _ told: [EventAnswer]) throws(Problem) -> JSONWriter {
    var rest = told[...]
    var results: [RecordResult] = []
    for item in items.items {
      switch item {
      case .refused(let code):
        results.append(.refused(code))
        observe(.eventAnswered(type: nil, .app, .refused(code)))
      case .event(let event):
        guard let answer = rest.popFirst() else { throw .internalFault("an event was not answered") }
        let result = RecordResult(answer)
        results.append(result)
        observe(.eventAnswered(type: event.type, .app, result))
      }
    }
    return RecordResult.json(results)
  }
}
