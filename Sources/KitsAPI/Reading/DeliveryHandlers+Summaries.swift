internal import HTTPServer
internal import KitsCore
internal import KitsStore

extension DeliveryHandlers {
  /// `GET /v1/messages/{id}/timeline`
  func timeline(_ request: Request) async throws(Problem) -> Response {
    let environment = try await environment(request)
    try QueryReader.refuseAny(request.head)
    let id: MessageID = try request.id()
    let timeline = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.timeline(environment: environment, id: id, deadline: deadline)
    }
    guard let timeline else { throw .notFound }
    return .json(200, TimelineJSON.write(timeline, of: id))
  }

  /// `GET /v1/installations/{id}/deliveries`
  func history(_ request: Request) async throws(Problem) -> Response {
    let environment = try await environment(request)
    var query = QueryReader(request.head, allowed: ["limit"])
    let limit = query.integer("limit", in: Limits.pageSize) ?? Limits.defaultPageSize
    try query.finish()
    let installation = try await installation(try request.id(), of: environment)
    let history = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.history(of: installation, limit: Int32(limit), deadline: deadline)
    }
    return .json(200, HistoryJSON.write(history))
  }
}
