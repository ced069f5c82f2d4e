internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension MessageHandlers {
  /// `GET /v1/messages/{id}`
  func read(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    let principal = try await gate.principal(of: secret, needing: .messagesRead)
    try QueryReader.refuseAny(request.head)
    return try await answer(try request.id(), in: principal.environment)
  }

  /// `POST /v1/messages/{id}/cancel`
  func cancel(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    let principal = try await gate.principal(of: secret, needing: .messagesSend)
    try QueryReader.refuseAny(request.head)
    try refuseMembers(of: request)
    let id: MessageID = try request.id()
    let environment = principal.environment
    let state = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.cancel(environment: environment, id: id, deadline: deadline)
    }
    switch state {
    case nil: throw .notFound
    case .completed: throw Problem(.messageNotCancelable, "The message is completed.")
    case .refused: throw Problem(.messageNotCancelable, "The message was refused.")
    case .planning, .sending: observe(.messageCanceled)
    case .canceled: break
    }
    return try await answer(id, in: environment)
  }

  /// No body, or an empty object.
  private func refuseMembers(of request: Request) throws(Problem) {
    guard !request.body.isEmpty else { return }
    let faults = FaultCollector()
    ObjectReader(try request.object(), into: faults).refuseUnknown()
    if let problem = Problem(faults) { throw problem }
  }

  private func answer(_ id: MessageID, in environment: EnvironmentNumber) async throws(Problem) -> Response {
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.read(environment: environment, id: id, deadline: deadline)
    }
    guard let (app, message) = found else { throw .notFound }
    // The message first: one that reads completed then has nothing pending.
    let outcomes = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.outcomes(app: app, message: message.number, deadline: deadline)
    }
    return .json(200, try MessageJSON.message(message, outcomes))
  }
}
