internal import HTTPServer
internal import KitsCore
internal import KitsStore

extension MessageHandlers {
  /// What the list's query asks for, before it is known whether the cursor belongs to it.
  private struct Wish {
    let app: AppID?
    let state: StateFilter?
    let limit: Int
    let cursor: String?
  }

  private enum StateFilter {
    case state(MessageState)
    /// Held by a pause of the app, whatever its own state is.
    case paused
    /// A state of the contract that nothing can be in in this version.
    case vacant
  }

  /// `GET /v1/messages`
  func list(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    var query = QueryReader(request.head, allowed: ["app_id", "state", "limit", "cursor"])
    let wish = readWish(&query)
    let admission = try await admitReader(secret, app: wish.app)
    try query.finish()
    if wish.app != nil, admission.app == nil { throw .unknownApp(.parameter("app_id")) }
    let selection = try select(wish, admission.key.environment, &query)
    guard let selection else { return .json(200, try MessageJSON.page([], nextCursor: nil)) }
    // One more than the page tells whether there is a next one.
    var found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.list(selection, limit: Int32(wish.limit + 1), deadline: deadline)
    }
    let hasMore = found.count > wish.limit
    if hasMore { found.removeLast(found.count - wish.limit) }
    let last = hasMore ? found.last : nil
    let next = try last.map { (message) throws(Problem) in try cursors.write(message.id, for: selection) }
    return .json(200, try MessageJSON.page(found, nextCursor: next))
  }

  private func readWish(_ query: inout QueryReader) -> Wish {
    Wish(
      app: query.uuid("app_id").map(AppID.init), state: query.choice("state", Self.stateFilters),
      limit: query.integer("limit", in: Limits.pageSize) ?? Limits.defaultPageSize, cursor: query.text("cursor"))
  }

  private static var stateFilters: [String: StateFilter] {
    var filters: [String: StateFilter] = ["scheduled": .vacant, "paused": .paused]
    for state in MessageState.allCases { filters[state.name] = .state(state) }
    return filters
  }

  /// Knows the key and the app in one question.
  private func admitReader(
    _ secret: ServerKeySecret, app: AppID?
  ) async throws(Problem) -> CreationRequest.Admission {
    let reading = CreationRequest(serverKeyHash: secret.hash, app: app, idempotencyKeyHash: nil)
    let admission = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.admit(reading, deadline: deadline)
    }
    guard let admission else { throw .unknownServerKey }
    try Gate.require(.messagesRead, of: admission.key)
    return admission
  }

  /// nil when nothing can match.
  private func select(
    _ wish: Wish, _ environment: EnvironmentNumber, _ query: inout QueryReader
  ) throws(Problem) -> MessageSelection? {
    let filter: (state: MessageState?, isPaused: Bool?)
    switch wish.state {
    case .vacant: return nil
    case .state(let named): filter = (named, false)
    case .paused: filter = (nil, true)
    case nil: filter = (nil, nil)
    }
    func selection(before position: MessageID?) -> MessageSelection {
      MessageSelection(
        environment: environment, app: wish.app, state: filter.state, isPaused: filter.isPaused, before: position)
    }
    let list = selection(before: nil)
    guard let cursor = wish.cursor else { return list }
    let position = cursors.read(cursor, for: list)
    if position == nil { query.refuse("cursor", .badFormat, "It is no cursor of this list.") }
    try query.finish()
    return selection(before: position)
  }
}
