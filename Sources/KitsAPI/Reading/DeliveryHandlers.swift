internal import HTTPServer
internal import KitsCore
internal import KitsStore

/// What became of messages, delivery by delivery and hour by hour, for a customer's backend or a dashboard.
struct DeliveryHandlers: Sendable {
  let gate: Gate
  let messages: MessageStore
  let installations: InstallationStore
  let answers: Answers
  let cursors: DeliveryCursor
  /// Milliseconds since 1970.
  let now: @Sendable () -> Int64

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    messages = surroundings.messages
    installations = surroundings.installations
    answers = surroundings.answers
    cursors = DeliveryCursor(keys: surroundings.keys)
    now = surroundings.now
  }

  var routes: [Route] {
    [
      Route(.get, "/v1/messages/{id}/timeline", admit: admit, handle: { await answers.answer($0, timeline) }),
      Route(.get, "/v1/messages/{id}/deliveries", admit: admit, handle: { await answers.answer($0, list) }),
      Route(
        .get, "/v1/messages/{id}/deliveries/{installation_id}", admit: admit,
        handle: { await answers.answer($0, explain) }),
      Route(.get, "/v1/installations/{id}/deliveries", admit: admit, handle: { await answers.answer($0, history) }),
    ]
  }

  /// A key that can't be one is refused before anything is looked up.
  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  /// Whose messages are read. All of it needs the same scope.
  func environment(_ request: Request) async throws(Problem) -> EnvironmentNumber {
    try await gate.principal(of: try gate.serverKey(request.head), needing: .messagesRead).environment
  }

  func message(_ request: Request, of environment: EnvironmentNumber) async throws(Problem) -> ReadableMessage {
    let id: MessageID = try request.id()
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.readable(environment: environment, id: id, deadline: deadline)
    }
    guard let found else { throw .notFound }
    return found
  }

  func installation(_ id: InstallationID, of environment: EnvironmentNumber) async throws(Problem) -> Installation {
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.ranked(environment: environment, id: id, deadline: deadline)
    }
    guard let found else { throw .notFound }
    return found.installation
  }
}
