internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension TagHandlers {
  /// `GET /v1/tag-keys`
  func list(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    var query = QueryReader(request.head, allowed: ["app_id", "prefix", "limit", "cursor"])
    let named = query.uuid("app_id").map(AppID.init)
    let limit = query.integer("limit", in: Limits.pageSize) ?? Limits.defaultPageSize
    let prefix = query.text("prefix") ?? ""
    if prefix.utf8.count > Limits.tagKeyBytes || !TagKey.isPlain(prefix) {
      query.refuse("prefix", .badFormat, "A tag's key has \(TagKey.form).")
    }
    let admission = try await gate.reader(secret, app: named, needing: .segmentsRead, knowing: messages, &query)
    guard let app = admission.app else {
      throw Problem(.appRequired, "The environment doesn't have exactly one app: app_id must name one.")
    }
    let list = "tag-keys \(app.number.value) \(prefix)"
    let cursor = query.text("cursor")
    let after = cursor.flatMap { cursors.readText($0, for: list) }
    if cursor != nil, after == nil { query.refuse("cursor", .badFormat, "It is no cursor of this list.") }
    try query.finish()
    // One more than the page tells whether there is a next one.
    var found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.tagKeys(
        of: app.number, prefix: prefix, after: after, limit: Int32(limit + 1), deadline: deadline)
    }
    let hasMore = found.count > limit
    if hasMore { found.removeLast(found.count - limit) }
    let last = hasMore ? found.last : nil
    let next = try last.map { (entry) throws(Problem) in try cursors.write(entry.key, for: list) }
    return .json(200, Self.page(found, of: app.id, nextCursor: next))
  }

  /// `TagKeys` of the contract.
  private static func page(_ keys: [TagKeyRecord], of app: AppID, nextCursor: String?) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("app_id", app)
    json.key("data")
    json.beginArray()
    for entry in keys {
      json.beginObject()
      json.member("key", entry.key)
      json.member("first_seen_at", entry.firstSeenAt)
      json.member("last_seen_on", entry.lastSeenOn)
      json.endObject()
    }
    json.endArray()
    json.member("next_cursor", nextCursor)
    json.endObject()
    return json
  }
}
