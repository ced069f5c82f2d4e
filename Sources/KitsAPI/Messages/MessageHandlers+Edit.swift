internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension MessageHandlers {
  /// `PATCH /v1/messages/{id}`
  func edit(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    let environment = try await gate.principal(of: secret, needing: .messagesSend).environment
    try QueryReader.refuseAny(request.head)
    guard case .object(let members) = try request.object() else { throw .internalFault("A body is an object.") }
    let id: MessageID = try request.id()
    let patch = try MessagePatch(members)
    guard let earlier = try await editable(id, in: environment) else { throw .notFound }
    guard earlier.state == .scheduled, let kept = earlier.body else { throw .over(earlier.state) }
    let merged = try patch.applied(to: kept)
    let body = JSON.write(.object(merged))
    // The answer to this very change may have been lost.
    if earlier.revision == patch.revision + 1, body == kept { return try await answer(id, in: environment) }
    guard earlier.revision == patch.revision else { throw try await changed(id, in: environment) }
    let change = try await change(merged, body, of: id, earlier, patch)
    let outcome = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.schedules.revise(change, deadline: deadline)
    }
    switch outcome {
    case nil: throw .notFound
    case .changed:
      // This very change may have come twice at once.
      guard let now = try await editable(id, in: environment), now.revision == patch.revision + 1, now.body == body
      else { throw try await changed(id, in: environment) }
      return try await answer(id, in: environment)
    case .over(let state): throw .over(state)
    case .revised:
      // Its time may be now.
      onMessageCreated()
      return try await answer(id, in: environment)
    }
  }

  private func editable(
    _ id: MessageID, in environment: EnvironmentNumber
  ) async throws(Problem) -> EditableMessage? {
    try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.schedules.editable(environment: environment, id: id, deadline: deadline)
    }
  }

  /// The whole message is checked anew, but for a time that stays as it was: it may be past by now.
  private func change(
    _ merged: JSONObject, _ body: [UInt8], of id: MessageID, _ earlier: EditableMessage, _ patch: MessagePatch
  ) async throws(Problem) -> ScheduleRevision {
    if let app = MessageDraft.app(of: merged), app != earlier.appID {
      throw Problem(
        .bodyInvalid, "1 field is invalid.",
        fields: [.init(.pointer("/app_id"), .notAllowed, "A message stays with its app.")])
    }
    let draft = try reading { () throws(KitsError) in
      try MessageDraft(merged, now: patch.changesTime ? time : nil)
    }
    try await checkZone(of: draft)
    let dependsOnUser = try await dependsOnUser(draft, app: earlier.app)
    let message = try reading { () throws(KitsError) in
      try NewMessage(
        draft, id: id, app: earlier.app, createdBy: earlier.createdBy, dependsOnUser: dependsOnUser,
        isVerifiedOnly: draft.isVerifiedOnly ?? (dependsOnUser && earlier.enforcesProof))
    }
    return ScheduleRevision(
      revision: patch.revision, schedule: NewSchedule(message: message, body: body, schedule: draft.schedule))
  }

  /// A zone that the database doesn't know is refused, not taken for another one.
  func checkZone(of draft: MessageDraft) async throws(Problem) {
    guard case .local(let local) = draft.schedule, let zone = local.defaultZone else { return }
    let isKnown = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.schedules.knowsZone(zone, deadline: deadline)
    }
    guard !isKnown else { return }
    throw Problem(
      .bodyInvalid, "1 field is invalid.",
      fields: [
        .init(.pointer("/send_at_local/default_time_zone"), .notAllowed, "There is no such zone in the IANA database.")
      ])
  }

  private func reading<Value>(_ read: () throws(KitsError) -> Value) throws(Problem) -> Value {
    do {
      return try read()
    } catch {
      throw Problem(error)
    }
  }

  private func changed(_ id: MessageID, in environment: EnvironmentNumber) async throws(Problem) -> Problem {
    let current = try await answer(id, in: environment)
    var problem = Problem(.messageChanged, "The message has another revision; current is what it is now.")
    problem.members.append((name: "current", json: current.body))
    return problem
  }
}

extension Problem {
  fileprivate static func over(_ state: MessageState) -> Problem {
    Problem(
      .messageNotEditable, state == .canceled ? "The message was canceled." : "The message has started.")
  }
}
