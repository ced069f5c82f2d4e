internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension WebhookHandlers {
  /// `POST /v1/webhooks`: the only answer with the secret.
  func create(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await administrator(request, to: .webhookCreated)
    let (definition, given) = try bodies.create(try request.object())
    let secret = given ?? .generate()
    let id = WebhookID(UUIDv7.make(now: now()))
    let new = NewWebhook(
      id: id, environment: administrator.environment, createdBy: administrator.principal.id, definition: definition,
      secret: try secret.sealed(for: id, ring: keys))
    let answer = try await asking(repeatingIsHarmless: false) { (deadline) async throws(StoreError) in
      try await webhooks.create(new, call: administrator.call, deadline: deadline)
    }
    switch answer {
    case .full:
      throw Problem(.webhookLimitReached, "An environment may have \(Limits.webhooks) webhooks.")
    case .noSuchApp:
      throw Problem(
        .bodyInvalid, "1 field is invalid.",
        fields: [.init(.pointer("/app_id"), .notFound, "The environment has no such app.")])
    case .created(let at):
      settled(administrator)
      let webhook = Webhook(
        id: id, definition: definition, disabledReason: definition.isEnabled ? nil : .person,
        previousSecretUntil: nil, createdAt: at, updatedAt: at, standing: .fresh)
      return .json(
        201, WebhookJSON.webhook(webhook, secret: secret), headers: [(name: "Location", value: "/v1/webhooks/\(id)")])
    }
  }

  /// `PATCH /v1/webhooks/{id}`
  func change(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await administrator(request, to: .webhookChanged)
    let id: WebhookID = try request.id()
    let change = try bodies.change(try request.object())
    let webhook = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await webhooks.change(
        environment: administrator.environment, id: id, change, call: administrator.call, deadline: deadline)
    }
    guard let webhook else { throw .notFound }
    settled(administrator)
    return .json(200, WebhookJSON.webhook(webhook))
  }

  /// `DELETE /v1/webhooks/{id}`
  func delete(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await administrator(request, to: .webhookDeleted)
    let id: WebhookID = try request.id()
    let isGone = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await webhooks.delete(
        environment: administrator.environment, id: id, call: administrator.call, deadline: deadline)
    }
    guard isGone else { throw .notFound }
    settled(administrator)
    return .noContent
  }

  /// `POST /v1/webhooks/{id}/secret/rotate`
  func rotate(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await administrator(request, to: .webhookSecretRotated)
    let id: WebhookID = try request.id()
    let wish = request.body.isEmpty ? nil : try bodies.rotation(try request.object())
    let secret = wish ?? .generate()
    let sealed = try secret.sealed(for: id, ring: keys)
    let until = try await asking(repeatingIsHarmless: false) { (deadline) async throws(StoreError) in
      try await webhooks.rotate(
        environment: administrator.environment, id: id, to: sealed, call: administrator.call, deadline: deadline)
    }
    guard let until else { throw .notFound }
    settled(administrator)
    return .json(200, WebhookJSON.rotated(secret, previousUntil: until))
  }

  /// `POST /v1/webhooks/{id}/redeliver`
  func redeliver(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await administrator(request, to: .webhookRedelivered)
    let id: WebhookID = try request.id()
    let events = try bodies.redelivery(try request.object())
    let count = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await webhooks.redeliver(
        environment: administrator.environment, id: id, events: events, call: administrator.call, deadline: deadline)
    }
    guard let count else { throw .notFound }
    settled(administrator)
    return .json(202, WebhookJSON.redelivered(count))
  }
}
