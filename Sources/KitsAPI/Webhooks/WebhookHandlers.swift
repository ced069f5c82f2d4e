internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// Where a customer's backend takes events.
struct WebhookHandlers: Sendable {
  let gate: Gate
  let webhooks: WebhookStore
  let answers: Answers
  let cursors: PageCursor
  let keys: KeyRing
  let bodies: WebhookBody
  let now: @Sendable () -> Int64

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    webhooks = surroundings.webhooks
    answers = surroundings.answers
    cursors = PageCursor(keys: surroundings.keys)
    keys = surroundings.keys
    bodies = WebhookBody(allowsPrivate: surroundings.allowsPrivateWebhooks)
    now = surroundings.now
  }

  private static let path = "/v1/webhooks/{id}"

  var routes: [Route] {
    [
      Route(
        .post, "/v1/webhooks", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, create) }),
      Route(.get, "/v1/webhooks", admit: admit, handle: { await answers.answer($0, list) }),
      Route(.get, Self.path, admit: admit, handle: { await answers.answer($0, read) }),
      Route(
        .patch, Self.path, bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, change) }),
      Route(.delete, Self.path, admit: admit, handle: { await answers.answer($0, delete) }),
      Route(
        .post, Self.path + "/secret/rotate", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, rotate) }),
      Route(.get, Self.path + "/deliveries", admit: admit, handle: { await answers.answer($0, deliveries) }),
      Route(
        .post, Self.path + "/redeliver", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, redeliver) }),
      Route(.get, "/v1/events", admit: admit, handle: { await answers.answer($0, events) }),
    ]
  }

  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  /// Who may make a change. What can't be an id names nothing.
  func administrator(_ request: Request, to action: AuditAction) async throws(Problem) -> Administrator {
    let id = action == .webhookCreated ? nil : WebhookID(parsing: request.parameters["id"])
    let administrator = try await gate.administrator(
      request, needing: .webhooksWrite, to: action, on: AuditTarget(.webhook, id?.text))
    try QueryReader.refuseAny(request.head)
    return administrator
  }

  func settled(_ administrator: Administrator) {
    gate.observe(.administered(administrator.call.action, refusal: nil))
  }
}
