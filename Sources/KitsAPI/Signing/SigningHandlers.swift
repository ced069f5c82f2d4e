internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// Request signing of an app, by a server key of its environment (T2, T3): everyone who may see the app sees secrets,
/// owners and administrators make them and change the mode.
struct SigningHandlers: Sendable {
  let gate: Gate
  let signing: SigningStore
  let answers: Answers
  let keys: KeyRing
  private let policies: SigningPolicies

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    signing = surroundings.signing
    answers = surroundings.answers
    keys = surroundings.keys
    policies = surroundings.policies
  }

  private static let path = "/v1/apps/{id}/signing"

  var routes: [Route] {
    [
      Route(.get, Self.path, admit: admit, handle: { await answers.answer($0, read) }),
      Route(
        .patch, Self.path, bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, change) }),
      Route(.get, Self.path + "/secret", admit: admit, handle: { await answers.answer($0, reveal) }),
      Route(
        .post, Self.path + "/secret", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, create) }),
      Route(
        .post, Self.path + "/secret/rotate", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, rotate) }),
      Route(
        .delete, Self.path + "/secret/previous", admit: admit, handle: { await answers.answer($0, revokePrevious) }),
    ]
  }

  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  /// `GET /v1/apps/{id}/signing`
  private func read(_ request: Request) async throws(Problem) -> Response {
    let principal = try await gate.principal(of: try gate.serverKey(request.head), needing: .appsWrite)
    try Gate.authorise(principal, .readEnvironment)
    try QueryReader.refuseAny(request.head)
    return .json(200, SigningJSON.state(try await state(of: try request.id(), principal.environment)))
  }

  /// `PATCH /v1/apps/{id}/signing`
  private func change(_ request: Request) async throws(Problem) -> Response {
    let (administrator, app) = try await admitted(request, to: .signingModeChanged)
    let change = try SigningChange(try request.object())
    let isChanged = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await signing.change(
        app, of: administrator.environment, mode: change.mode, bucketSeconds: change.bucketSeconds,
        by: administrator.call, deadline: deadline)
    }
    guard let isChanged else { throw .notFound }
    guard isChanged else { throw await refused(administrator, app, .signingSecretNeeded) }
    settled(administrator)
    return .json(200, SigningJSON.state(try await state(of: app, administrator.environment)))
  }

  func state(of app: AppID, _ environment: EnvironmentNumber) async throws(Problem) -> SigningRecord {
    let record = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await signing.find(app, of: environment, deadline: deadline)
    }
    guard let record else { throw .notFound }
    return record
  }

  /// Whom the role lets do this, and the app of the path.
  func admitted(
    _ request: Request, to action: AuditAction
  ) async throws(Problem) -> (administrator: Administrator, app: AppID) {
    let target = AuditTarget(.app, AppID(parsing: request.parameters["id"])?.text)
    let administrator = try await gate.administrator(request, needing: .appsWrite, to: action, on: target)
    try QueryReader.refuseAny(request.head)
    return (administrator, try request.id())
  }

  func refused(_ administrator: Administrator, _ app: AppID, _ problem: Problem) async -> Problem {
    await gate.refused(administrator, on: AuditTarget(.app, app.text), problem)
  }

  /// The change counts on this node from here on.
  func settled(_ administrator: Administrator) {
    policies.forget()
    gate.observe(.administered(administrator.call.action, refusal: nil))
  }
}

extension Problem {
  static var signingSecretNeeded: Problem {
    Problem(
      .bodyInvalid, "1 field is invalid.",
      fields: [.init(.pointer("/mode"), .conflict, "The app has no secret yet: create one first.")])
  }
}
