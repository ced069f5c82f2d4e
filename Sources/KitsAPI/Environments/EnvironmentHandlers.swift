internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// The policy of the environment that a server key belongs to (K17).
struct EnvironmentHandlers: Sendable {
  private let gate: Gate
  private let environments: EnvironmentStore
  private let answers: Answers

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    environments = surroundings.environments
    answers = surroundings.answers
  }

  var routes: [Route] {
    [
      Route(.get, "/v1/environment", admit: admit, handle: { await answers.answer($0, read) }),
      Route(
        .patch, "/v1/environment", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, change) }),
    ]
  }

  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  /// `GET /v1/environment`: every key may see the policy that its installations live under.
  private func read(_ request: Request) async throws(Problem) -> Response {
    let principal = try await gate.principal(of: try gate.serverKey(request.head))
    try Gate.authorise(principal, .readEnvironment)
    try QueryReader.refuseAny(request.head)
    let environment = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await environments.environment(.number(principal.environment), deadline: deadline)
    }
    guard let environment else { throw .notFound }
    return .json(200, EnvironmentJSON.environment(environment))
  }

  /// `PATCH /v1/environment`
  private func change(_ request: Request) async throws(Problem) -> Response {
    let target = AuditTarget(.environment, nil)
    let administrator = try await gate.administrator(
      request, needing: .environmentsWrite, to: .environmentChanged, on: target)
    try QueryReader.refuseAny(request.head)
    let change = try EnvironmentChangeReader.read(try request.object())
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await environments.change(
        .number(administrator.environment), change, by: administrator.call, deadline: deadline)
    }
    guard let answer else { throw .notFound }
    if let problem = Problem(answer.outcome, of: change, in: answer.environment) {
      throw await gate.refused(administrator, on: AuditTarget(.environment, answer.environment.id.text), problem)
    }
    gate.observe(.administered(.environmentChanged, refusal: nil))
    return .json(200, EnvironmentJSON.environment(answer.environment))
  }
}

extension Problem {
  /// Nil when the change was made.
  init?(
    _ outcome: EnvironmentPolicy.Outcome, of change: EnvironmentPolicy.Change, in environment: EnvironmentRecord
  ) {
    switch outcome {
    case .applied:
      return nil
    case .revisionMoved:
      self.init(.identityRebindConflict, "The policy has another revision by now. Nothing was changed.")
      var json = JSONWriter()
      json.value(environment.policy.revision)
      members = [(name: "policy_revision", json: json.bytes)]
    case .shadowNeedsVerified:
      self.init(
        .bodyInvalid, "1 field is invalid.",
        fields: [.init(.pointer("/shadow"), .conflict, "Only an environment that is VERIFIED has a shadow.")])
    case .noIdentityKey:
      let pointer = change.authMode == nil ? "/shadow" : "/auth_mode"
      self.init(
        .bodyInvalid, "1 field is invalid.",
        fields: [
          .init(
            .pointer(pointer), .conflict,
            "Every login would fail: register an identity key first, or use a shadow, or force it.")
        ])
    }
  }
}
