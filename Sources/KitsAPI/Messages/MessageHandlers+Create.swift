internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension MessageHandlers {
  /// How often the answer of another request with the same key is looked for.
  private static let attempts = 3

  /// `POST /v1/messages`
  func create(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    let call = try await readCall(request, of: secret)
    for _ in 0..<Self.attempts {
      let admission = try await admit(secret, call, keepingKey: true)
      if let earlier = admission.earlier, let app = admission.app {
        return try replay(earlier, of: call, app: app.id)
      }
      let draft = try draft(call, admission)
      if let created = try await store(draft.message, call, admission, draft.app) {
        observe(.messageCreated(replayed: false))
        onMessageCreated()
        return answer(created, app: draft.app.id, title: call.title, isReplay: false)
      }
      // Another request with this key was first: its answer is there now.
    }
    throw Problem(.overloaded, "Another request with this Idempotency-Key is being worked on.")
  }

  /// `POST /v1/messages/validate`
  func validate(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    let call = try await readCall(request, of: secret)
    let (message, app) = try draft(call, try await admit(secret, call, keepingKey: false))
    _ = try await dependsOnUser(message, app: app.number)
    let payloads = try render(message.content, id: Self.exampleID)
    let unmatched = try await unmatched(message.target, app: app.number)
    return .json(200, ValidationJSON.write(app: app.id, unmatched, message.content, payloads))
  }

  /// What can be said without knowing the caller is said only to a caller who may ask.
  private func readCall(_ request: Request, of secret: ServerKeySecret) async throws(Problem) -> MessageCall {
    do {
      return try MessageCall(request)
    } catch {
      _ = try await gate.principal(of: secret, needing: .messagesSend)
      throw error
    }
  }

  private func admit(
    _ secret: ServerKeySecret, _ call: MessageCall, keepingKey: Bool
  ) async throws(Problem) -> CreationRequest.Admission {
    let creation = CreationRequest(
      serverKeyHash: secret.hash, app: MessageDraft.app(of: call.body),
      idempotencyKeyHash: keepingKey ? call.idempotencyKey?.hash : nil)
    let admission = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.admit(creation, deadline: deadline)
    }
    guard let admission else { throw .unknownServerKey }
    try Gate.require(.messagesSend, of: admission.key)
    guard admission.app == nil else { return admission }
    if creation.app != nil { throw .unknownApp(.pointer("/app_id")) }
    if call.body["app_id"].map(\.isNull) ?? true {
      throw Problem(.appRequired, "The environment doesn't have exactly one app: app_id must name one.")
    }
    return admission
  }

  private func draft(
    _ call: MessageCall, _ admission: CreationRequest.Admission
  ) throws(Problem) -> (message: MessageDraft, app: CreationRequest.AdmittedApp) {
    let message: MessageDraft
    do {
      message = try MessageDraft(call.body)
    } catch {
      throw Problem(error)
    }
    guard let app = admission.app else { throw .internalFault("There is no app, and no fault of app_id.") }
    return (message, app)
  }

  private func render(_ content: MessageContent, id: MessageID) throws(Problem) -> RenderedPayloads {
    do {
      return try PayloadRenderer(content, id: id).render()
    } catch {
      throw Problem(error)
    }
  }

  private func store(
    _ draft: MessageDraft, _ call: MessageCall, _ admission: CreationRequest.Admission,
    _ app: CreationRequest.AdmittedApp
  ) async throws(Problem) -> CreatedMessage? {
    let dependsOnUser = try await dependsOnUser(draft, app: app.number)
    let id = MessageID(UUIDv7.make(now: now()))
    let content = draft.content
    let message = NewMessage(
      id: id, app: app.number, createdBy: admission.key.id, target: draft.target,
      excluded: draft.excluded, guards: draft.guards, dependsOnUser: dependsOnUser,
      // Where a user must be proven, a message for a user is for whoever proved to be that user.
      isVerifiedOnly: draft.isVerifiedOnly ?? (dependsOnUser && app.enforcesProof),
      contentJSON: content.json, payloads: try render(content, id: id), kind: content.kind,
      priority: content.priority, ttlSeconds: content.ttlSeconds, collapseID: content.collapseID,
      onUnknown: draft.onUnknown,
      idempotency: call.idempotencyKey.map { NewMessage.Idempotency(keyHash: $0.hash, bodyHash: call.bodyHash) })
    return try await asking(repeatingIsHarmless: call.idempotencyKey != nil) {
      (deadline) async throws(StoreError) in
      try await messages.create(message, deadline: deadline)
    }
  }

  private func replay(
    _ earlier: CreationRequest.EarlierAnswer, of call: MessageCall, app: AppID
  ) throws(Problem) -> Response {
    guard earlier.bodyHash == call.bodyHash else {
      throw Problem(.idempotencyKeyReused, "The Idempotency-Key was used with another body.")
    }
    observe(.messageCreated(replayed: true))
    return answer(earlier.message, app: app, title: call.title, isReplay: true)
  }

  private func answer(_ message: CreatedMessage, app: AppID, title: String?, isReplay: Bool) -> Response {
    var headers = [(name: "Location", value: "/v1/messages/\(message.id)")]
    if isReplay { headers.append((name: "Idempotent-Replayed", value: "true")) }
    return .json(201, MessageJSON.created(message, app: app, title: title), headers: headers)
  }

  private func unmatched(
    _ target: MessageTarget, app: AppNumber
  ) async throws(Problem) -> MessageRecord.Unmatched {
    try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.unmatched(target, app: app, deadline: deadline)
    }
  }
}

extension Problem {
  /// An app that is named beside the path and isn't there for this credential.
  static func unknownApp(_ place: KitsError.FieldFault.Place) -> Problem {
    Problem(
      .notFound, "There is no such app for this credential.",
      fields: [KitsError.FieldFault(place, .notFound, "There is no such app for this credential.")])
  }
}
