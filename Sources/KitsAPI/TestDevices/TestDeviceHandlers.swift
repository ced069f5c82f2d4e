internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// Devices of the team, which a message can go to alone (K8). A device can't mark itself.
struct TestDeviceHandlers: Sendable {
  private let installations: InstallationStore
  /// Knows a server key and the app that a query names in one question.
  private let messages: MessageStore
  private let gate: Gate
  private let answers: Answers
  private let cursors: PageCursor

  init(_ surroundings: Surroundings) {
    installations = surroundings.installations
    messages = surroundings.messages
    gate = surroundings.gate
    answers = surroundings.answers
    cursors = PageCursor(keys: surroundings.keys)
  }

  private static let single = "/v1/test-devices/{installation_id}"

  var routes: [Route] {
    [
      Route(.get, "/v1/test-devices", admit: admit, handle: { await answers.answer($0, list) }),
      Route(
        .put, Self.single, bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, add) }),
      Route(.delete, Self.single, admit: admit, handle: { await answers.answer($0, remove) }),
    ]
  }

  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  /// `PUT /v1/test-devices/{installation_id}`
  private func add(_ request: Request) async throws(Problem) -> Response {
    let (administrator, id) = try await administrator(request, to: .testDeviceAdded)
    if !request.body.isEmpty {
      let faults = FaultCollector()
      ObjectReader(try request.object(), into: faults).refuseUnknown()
      if let problem = Problem(faults) { throw problem }
    }
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.addTestDevice(
        id, in: administrator.environment, call: administrator.call, deadline: deadline)
    }
    switch answer {
    case .marked(let device):
      gate.observe(.administered(.testDeviceAdded, refusal: nil))
      var json = JSONWriter()
      Self.write(device, to: &json)
      return .json(200, json)
    case .full:
      throw Problem(.testDeviceLimitReached, "An app may have \(Limits.testDevicesPerApp) test devices.")
    case nil: throw .notFound
    }
  }

  /// `DELETE /v1/test-devices/{installation_id}`: harmless to repeat.
  private func remove(_ request: Request) async throws(Problem) -> Response {
    let (administrator, id) = try await administrator(request, to: .testDeviceRemoved)
    let wasMarked = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.removeTestDevice(
        id, in: administrator.environment, call: administrator.call, deadline: deadline)
    }
    guard wasMarked != nil else { throw .notFound }
    gate.observe(.administered(.testDeviceRemoved, refusal: nil))
    return .noContent
  }

  /// Who may make a change. What can't be an id names nothing.
  private func administrator(
    _ request: Request, to action: AuditAction
  ) async throws(Problem) -> (Administrator, InstallationID) {
    let id = InstallationID(parsing: request.parameters["installation_id"])
    let administrator = try await gate.administrator(
      request, needing: .installationsWrite, to: action, on: AuditTarget(.installation, id?.text))
    try QueryReader.refuseAny(request.head)
    guard let id else { throw .notFound }
    return (administrator, id)
  }

  /// `GET /v1/test-devices`
  private func list(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    var query = QueryReader(request.head, allowed: ["app_id", "limit", "cursor"])
    let app = query.uuid("app_id").map(AppID.init)
    let limit = query.integer("limit", in: Limits.pageSize) ?? Limits.defaultPageSize
    let admission = try await gate.reader(secret, app: app, needing: .installationsRead, knowing: messages, &query)
    let environment = admission.key.environment
    let list = "test-devices \(environment.value) \(app?.text ?? "-")"
    let cursor = query.text("cursor")
    let before = cursor.flatMap { cursors.read($0, for: list) }.map(InstallationID.init)
    if cursor != nil, before == nil { query.refuse("cursor", .badFormat, "It is no cursor of this list.") }
    try query.finish()
    // One more than the page tells whether there is a next one.
    var found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.testDevices(
        in: environment, app: app, before: before, limit: Int32(limit + 1), deadline: deadline)
    }
    let hasMore = found.count > limit
    if hasMore { found.removeLast(found.count - limit) }
    let last = hasMore ? found.last : nil
    let next = try last.map { (device) throws(Problem) in try cursors.write(device.installation.uuid, for: list) }
    return .json(200, Self.page(found, nextCursor: next))
  }

  private static func page(_ devices: [TestDevice], nextCursor: String?) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.key("data")
    json.beginArray()
    for device in devices { write(device, to: &json) }
    json.endArray()
    json.member("next_cursor", nextCursor)
    json.endObject()
    return json
  }

  /// `TestDevice` of the contract.
  private static func write(_ device: TestDevice, to json: inout JSONWriter) {
    json.beginObject()
    json.member("installation_id", device.installation)
    json.member("app_id", device.app)
    json.member("platform", device.platform.name)
    json.member("model", device.model)
    json.member("external_id", device.externalID)
    json.member("reachable", device.isReachable)
    json.member("marked_at", device.markedAt)
    json.endObject()
  }
}
