internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension InstallationHandlers {
  private static let filters: Set<String> = ["app_id", "external_id", "push_token_suffix", "test", "limit", "cursor"]

  /// `GET /v1/installations`
  func list(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    var query = QueryReader(request.head, allowed: Self.filters)
    let limit = query.integer("limit", in: Limits.pageSize) ?? Limits.defaultPageSize
    let app = query.uuid("app_id").map(AppID.init)
    let user = query.externalID("external_id")
    let tokenSuffix = query.tokenSuffix("push_token_suffix")
    let isTestDevice = query.choice("test", ["true": true, "false": false])
    let admission = try await gate.reader(secret, app: app, needing: .installationsRead, knowing: messages, &query)
    // One more than the page tells whether there is a next one.
    var search = InstallationSearch(environment: admission.key.environment, limit: Int32(limit + 1))
    search.app = app
    search.user = user
    search.tokenSuffix = tokenSuffix
    search.isTestDevice = isTestDevice
    let list = search.name
    let cursor = query.text("cursor")
    search.before = cursor.flatMap { cursors.read($0, for: list) }.map(InstallationID.init)
    if cursor != nil, search.before == nil { query.refuse("cursor", .badFormat, "It is no cursor of this list.") }
    try query.finish()
    let page = search
    var found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.search(page, deadline: deadline)
    }
    let hasMore = found.count > limit
    if hasMore { found.removeLast(found.count - limit) }
    let last = hasMore ? found.last : nil
    let next = try last.map { (entry) throws(Problem) in try cursors.write(entry.installation.id.uuid, for: list) }
    return .json(200, Self.page(found, nextCursor: next))
  }

  private static func page(_ found: [FoundInstallation], nextCursor: String?) -> JSONWriter {
    var json = JSONWriter(capacity: 1_536 * (found.count + 1))
    json.beginObject()
    json.key("data")
    json.beginArray()
    for entry in found {
      InstallationJSON.write(entry.installation, of: entry.app, ranking: entry.policy, to: &json)
    }
    json.endArray()
    json.member("next_cursor", nextCursor)
    json.endObject()
    return json
  }
}

extension InstallationSearch {
  /// What a cursor is bound to. A part that holds what a client wrote comes with its length, so that no two searches
  /// have one name.
  fileprivate var name: String {
    func part(_ text: String?) -> String { text.map { "\($0.utf8.count):\($0)" } ?? "-" }
    let test = isTestDevice.map { $0 ? "test" : "rest" } ?? "-"
    return "installations \(environment.value) \(app?.text ?? "-") \(test) \(part(user?.text)) \(part(tokenSuffix))"
  }
}

extension QueryReader {
  fileprivate mutating func externalID(_ name: String) -> ExternalID? {
    guard let text = text(name) else { return nil }
    do {
      return try ExternalID(checking: text)
    } catch {
      refuse(name, .badFormat, error.detail)
      return nil
    }
  }

  fileprivate mutating func tokenSuffix(_ name: String) -> String? {
    guard let text = text(name) else { return nil }
    let range = Limits.pushTokenSuffixCharacters
    if text.utf8.count < range.lowerBound {
      refuse(name, .tooShort, "It must have \(range.lowerBound) characters or more.")
    } else if text.utf8.count > range.upperBound {
      refuse(name, .tooLong, "It must have at most \(range.upperBound) characters.")
    } else if !text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
      refuse(name, .badFormat, "A push token is printable ASCII without spaces.")
    } else {
      return text
    }
    return nil
  }
}
