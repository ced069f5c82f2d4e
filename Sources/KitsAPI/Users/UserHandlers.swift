internal import HTTPServer
internal import KitsCore
internal import KitsStore

/// Users as a customer's backend asks for them and erases them.
struct UserHandlers: Sendable {
  private let gate: Gate
  private let users: UserStore
  private let answers: Answers
  private let cursors: PageCursor

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    users = surroundings.users
    answers = surroundings.answers
    cursors = PageCursor(keys: surroundings.keys)
  }

  var routes: [Route] {
    [
      Route(.get, "/v1/users/{external_id}", admit: admit, handle: { await answers.answer($0, read) }),
      Route(.delete, "/v1/users/{external_id}", admit: admit, handle: { await answers.answer($0, erase) }),
    ]
  }

  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  /// `GET /v1/users/{external_id}`
  private func read(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    let environment = try await gate.principal(of: secret, needing: .usersRead).environment
    var query = QueryReader(request.head, allowed: ["limit", "cursor"])
    let limit = query.integer("limit", in: Limits.pageSize) ?? Limits.defaultPageSize
    let user = try user(request)
    // The hash keeps the list apart from others whatever the id holds.
    let list = "users \(environment.value) \(user.text)"
    let cursor = query.text("cursor")
    let before = cursor.flatMap { cursors.read($0, for: list) }.map(InstallationID.init)
    if cursor != nil, before == nil { query.refuse("cursor", .badFormat, "It is no cursor of this list.") }
    try query.finish()
    // One more than the page tells whether there is a next one.
    var found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await users.installations(
        of: user, in: environment, before: before, limit: Int32(limit + 1), deadline: deadline)
    }
    if found.isEmpty, cursor == nil { throw .notFound }
    let hasMore = found.count > limit
    if hasMore { found.removeLast(found.count - limit) }
    let last = hasMore ? found.last : nil
    let next = try last.map { (entry) throws(Problem) in try cursors.write(entry.installation.id.uuid, for: list) }
    return .json(200, UserJSON.write(user, found, nextCursor: next))
  }

  /// `DELETE /v1/users/{external_id}`
  private func erase(_ request: Request) async throws(Problem) -> Response {
    // A refusal names no user: the hash under which an erasure is known is made with it.
    let administrator = try await gate.administrator(
      request, needing: .usersWrite, to: .userErased, on: AuditTarget(.user, nil))
    try QueryReader.refuseAny(request.head)
    let user = try user(request)
    let erasure = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await users.erase(user, in: administrator.environment, call: administrator.call, deadline: deadline)
    }
    guard let erasure else { throw .internalFault("The environment of a server key is gone.") }
    gate.observe(.administered(.userErased, refusal: nil))
    return .json(200, UserJSON.write(erasure))
  }

  /// What can't be an external id names nobody.
  private func user(_ request: Request) throws(Problem) -> ExternalID {
    guard let user = ExternalID(request.parameters["external_id"]) else { throw .notFound }
    return user
  }
}
