internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// Pausing and resuming an app, by a server key of its environment.
struct AppHandlers: Sendable {
  private let gate: Gate
  private let circuits: CircuitStore
  private let answers: Answers
  private let observe: @Sendable (APIEvent) -> Void

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    circuits = surroundings.circuits
    answers = surroundings.answers
    observe = surroundings.observe
  }

  var routes: [Route] {
    [
      Route(
        .post, "/v1/apps/{id}/pause", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, pause) }),
      Route(
        .post, "/v1/apps/{id}/resume", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, resume) }),
    ]
  }

  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  /// `POST /v1/apps/{id}/pause`
  private func pause(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await admitted(request, to: .appPaused)
    let body = try read(request) { reader in reader?.line("reason", bytes: Limits.pauseReasonBytes) }
    let app: AppID = try request.id()
    let pauses = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await circuits.pause(
        app, of: administrator.environment, body.apnsEnvironments, detail: body.extra, by: administrator.call,
        deadline: deadline)
    }
    guard let pauses else { throw .notFound }
    observe(.administered(administrator.call.action, refusal: nil))
    observe(.appPaused(app: app))
    return .json(200, AppPauseJSON.app(app, pauses))
  }

  /// `POST /v1/apps/{id}/resume`
  private func resume(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await admitted(request, to: .appResumed)
    let body = try read(request) { reader in reader?.bool("keep_suspects", nullIsAbsent: true) }
    let app: AppID = try request.id()
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await circuits.resume(
        app, of: administrator.environment, body.apnsEnvironments, keepSuspects: body.extra ?? false,
        by: administrator.call, deadline: deadline)
    }
    guard let answer else { throw .notFound }
    observe(.administered(administrator.call.action, refusal: nil))
    observe(.appResumed(app: app))
    return .json(200, AppPauseJSON.app(app, answer.pauses, answer.resumed))
  }

  private func admitted(_ request: Request, to action: AuditAction) async throws(Problem) -> Administrator {
    let target = AuditTarget(.app, AppID(parsing: request.parameters["id"])?.text)
    let administrator = try await gate.administrator(request, needing: .appsWrite, to: action, on: target)
    try QueryReader.refuseAny(request.head)
    return administrator
  }

  /// No body means what an empty object does.
  private func read<Extra>(
    _ request: Request, _ extra: (ObjectReader?) -> Extra?
  ) throws(Problem) -> (apnsEnvironments: [APNsEnvironment], extra: Extra?) {
    guard !request.body.isEmpty else { return (APNsEnvironment.allCases, nil) }
    let faults = FaultCollector()
    let reader = ObjectReader(try request.object(), into: faults)
    let options = Dictionary(uniqueKeysWithValues: APNsEnvironment.allCases.map { ($0.name, $0) })
    let environment = reader.choice("apns_environment", options, nullIsAbsent: true)
    let extra = extra(reader)
    reader.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
    return (environment.map { [$0] } ?? APNsEnvironment.allCases, extra)
  }
}
