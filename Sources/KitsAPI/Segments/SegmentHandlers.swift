internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// Segments as a customer's backend or a dashboard keeps them (K8).
struct SegmentHandlers: Sendable {
  let gate: Gate
  let segments: SegmentStore
  /// Knows a server key and the app that a body names in one question.
  let messages: MessageStore
  let answers: Answers
  let cursors: PageCursor
  let now: @Sendable () -> Int64
  let observe: @Sendable (APIEvent) -> Void

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    segments = surroundings.segments
    messages = surroundings.messages
    answers = surroundings.answers
    cursors = PageCursor(keys: surroundings.keys)
    now = surroundings.now
    observe = surroundings.observe
  }

  var routes: [Route] {
    [
      Route(
        .post, "/v1/segments", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, create) }),
      Route(.get, "/v1/segments", admit: admit, handle: { await answers.answer($0, list) }),
      Route(
        .post, "/v1/segments/preview", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, preview) }),
      Route(.get, "/v1/segments/{id}", admit: admit, handle: { await answers.answer($0, read) }),
      Route(
        .put, "/v1/segments/{id}", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, replace) }),
      Route(.delete, "/v1/segments/{id}", admit: admit, handle: { await answers.answer($0, delete) }),
    ]
  }

  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  /// A body, with the key and the app that it is about. What can be said without knowing the caller is said only to a
  /// caller who may ask.
  struct Call: Sendable {
    let body: MessageCall
    let key: ServerKeyPrincipal
    /// Nil when `app_id` isn't readable, which reading the body then says.
    let app: CreationRequest.AdmittedApp?
  }

  func call(_ request: Request, needing scope: Scope) async throws(Problem) -> Call {
    let secret = try gate.serverKey(request.head)
    let body: MessageCall
    do {
      body = try MessageCall(request)
    } catch {
      _ = try await gate.principal(of: secret, needing: scope)
      throw error
    }
    let named = MessageDraft.app(of: body.body)
    let admission = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.admit(
        CreationRequest(serverKeyHash: secret.hash, app: named, idempotencyKeyHash: nil), deadline: deadline)
    }
    guard let admission else { throw .unknownServerKey }
    try Gate.require(scope, of: admission.key)
    if admission.app == nil {
      if named != nil { throw .unknownApp(.pointer("/app_id")) }
      if body.body["app_id"].map(\.isNull) ?? true {
        throw Problem(.appRequired, "The environment doesn't have exactly one app: app_id must name one.")
      }
    }
    return Call(body: body, key: admission.key, app: admission.app)
  }

  /// Who may make a change. What can't be an id names nothing.
  func administrator(_ request: Request, to action: AuditAction) async throws(Problem) -> Administrator {
    let id = action == .segmentCreated ? nil : SegmentID(parsing: request.parameters["id"])
    return try await gate.administrator(
      request, needing: .segmentsWrite, to: action, on: AuditTarget(.segment, id?.text))
  }

  func reading<Value>(_ read: () throws(KitsError) -> Value) throws(Problem) -> Value {
    do {
      return try read()
    } catch {
      throw Problem(error)
    }
  }
}
