internal import HTTPServer
internal import KitsCore
internal import KitsStore

extension WebhookHandlers {
  /// `GET /v1/webhooks`: all of them, for there are few.
  func list(_ request: Request) async throws(Problem) -> Response {
    let environment = try await reader(request)
    try QueryReader.refuseAny(request.head)
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await webhooks.list(environment: environment, deadline: deadline)
    }
    return .json(200, WebhookJSON.page(found))
  }

  /// `GET /v1/webhooks/{id}`
  func read(_ request: Request) async throws(Problem) -> Response {
    let environment = try await reader(request)
    try QueryReader.refuseAny(request.head)
    return .json(200, WebhookJSON.webhook(try await webhook(try request.id(), of: environment)))
  }

  /// `GET /v1/webhooks/{id}/deliveries`
  func deliveries(_ request: Request) async throws(Problem) -> Response {
    let environment = try await reader(request)
    let id: WebhookID = try request.id()
    var query = QueryReader(request.head, allowed: ["state", "limit", "cursor"])
    let state = query.choice("state", WebhookDelivery.State.byName)
    let limit = query.integer("limit", in: Limits.pageSize) ?? Limits.defaultPageSize
    let list = "webhook deliveries \(environment.value) \(id) \(state?.name ?? "-")"
    let after = cursor("cursor", of: list, &query)
    try query.finish()
    _ = try await webhook(id, of: environment)
    // One more than the page tells whether there is a next one.
    var found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await webhooks.deliveries(
        environment: environment, id: id, state: state, after: after ?? 0, limit: Int32(limit + 1),
        deadline: deadline)
    }
    let hasMore = found.count > limit
    if hasMore { found.removeLast(found.count - limit) }
    let last = hasMore ? found.last : nil
    let next = try last.map { (delivery) throws(Problem) in
      try cursors.write(FeedCursor.position(delivery.event.number), for: list)
    }
    return .json(200, WebhookJSON.page(found, nextCursor: next))
  }

  /// `GET /v1/events`: what happened, to be read again from any place. Other types or another app go on from the same
  /// place: a cursor belongs to the environment.
  func events(_ request: Request) async throws(Problem) -> Response {
    let principal = try await gate.principal(of: try gate.serverKey(request.head))
    guard principal.scopes.contains(.webhooksWrite) || principal.scopes.contains(.reportsRead) else {
      throw Problem(
        .scopeMissing, "This needs the scope \(Scope.webhooksWrite.rawValue) or \(Scope.reportsRead.rawValue).")
    }
    var query = QueryReader(request.head, allowed: ["after", "types", "app_id", "limit"])
    let list = "events \(principal.environment.value)"
    let after = cursor("after", of: list, &query)
    let types = types(&query)
    let app = query.uuid("app_id").map(AppID.init)
    let limit = query.integer("limit", in: Limits.eventPageSize) ?? Limits.defaultEventPageSize
    try query.finish()
    // Read before the events: whatever comes meanwhile is behind it.
    let end = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await webhooks.feedEnd(deadline: deadline)
    }
    let selection = EventSelection(
      environment: principal.environment, app: app, types: types ?? EventType.allCases, after: after ?? 0)
    var found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await webhooks.events(selection, limit: Int32(limit + 1), deadline: deadline)
    }
    let hasMore = found.count > limit
    if hasMore { found.removeLast(found.count - limit) }
    let place = hasMore ? found.last?.number ?? 0 : max(found.last?.number ?? 0, end, after ?? 0)
    let cursor = try cursors.write(FeedCursor.position(place), for: list)
    return .json(200, WebhookJSON.feed(found, cursor: cursor, hasMore: hasMore))
  }

  private func types(_ query: inout QueryReader) -> [EventType]? {
    guard let text = query.text("types") else { return nil }
    var types: [EventType] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let type = EventType.byName[String(name)] else {
        query.refuse("types", .notAllowed, "It must be names of event types, with commas between them.")
        return nil
      }
      types.append(type)
    }
    return types
  }

  private func cursor(_ name: String, of list: String, _ query: inout QueryReader) -> Int64? {
    guard let text = query.text(name) else { return nil }
    guard let position = cursors.read(text, for: list) else {
      query.refuse(name, .badFormat, "It is no cursor of this list.")
      return nil
    }
    return FeedCursor.number(position)
  }

  private func reader(_ request: Request) async throws(Problem) -> EnvironmentNumber {
    try await gate.principal(of: try gate.serverKey(request.head), needing: .webhooksWrite).environment
  }

  private func webhook(_ id: WebhookID, of environment: EnvironmentNumber) async throws(Problem) -> Webhook {
    let webhook = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await webhooks.read(environment: environment, id: id, deadline: deadline)
    }
    guard let webhook else { throw .notFound }
    return webhook
  }
}
