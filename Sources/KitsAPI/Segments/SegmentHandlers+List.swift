internal import HTTPServer
internal import KitsCore
internal import KitsStore

extension SegmentHandlers {
  /// `GET /v1/segments`
  func list(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    var query = QueryReader(request.head, allowed: ["app_id", "limit", "cursor"])
    let app = query.uuid("app_id").map(AppID.init)
    let limit = query.integer("limit", in: Limits.pageSize) ?? Limits.defaultPageSize
    let environment = try await admitReader(secret, app: app, &query)
    let list = "segments \(environment.value) \(app?.text ?? "-")"
    let cursor = query.text("cursor")
    let before = cursor.flatMap { cursors.read($0, for: list) }.map(SegmentID.init)
    if cursor != nil, before == nil { query.refuse("cursor", .badFormat, "It is no cursor of this list.") }
    try query.finish()
    // One more than the page tells whether there is a next one.
    var found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.list(
        environment: environment, app: app, before: before, limit: Int32(limit + 1), deadline: deadline)
    }
    let hasMore = found.count > limit
    if hasMore { found.removeLast(found.count - limit) }
    let last = hasMore ? found.last : nil
    let next = try last.map { (segment) throws(Problem) in try cursors.write(segment.id.uuid, for: list) }
    return .json(200, SegmentJSON.page(found, nextCursor: next))
  }

  private func admitReader(
    _ secret: ServerKeySecret, app: AppID?, _ query: inout QueryReader
  ) async throws(Problem) -> EnvironmentNumber {
    let reading = CreationRequest(serverKeyHash: secret.hash, app: app, idempotencyKeyHash: nil)
    let admission = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.admit(reading, deadline: deadline)
    }
    guard let admission else { throw .unknownServerKey }
    try Gate.require(.segmentsRead, of: admission.key)
    try query.finish()
    if app != nil, admission.app == nil { throw .unknownApp(.parameter("app_id")) }
    return admission.key.environment
  }
}
