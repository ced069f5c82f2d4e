internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension SegmentHandlers {
  /// `GET /v1/segments/{id}`
  func read(_ request: Request) async throws(Problem) -> Response {
    let secret = try gate.serverKey(request.head)
    let environment = try await gate.principal(of: secret, needing: .segmentsRead).environment
    try QueryReader.refuseAny(request.head)
    let id: SegmentID = try request.id()
    let segment = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.read(environment: environment, id: id, deadline: deadline)
    }
    guard let segment else { throw .notFound }
    return .json(200, SegmentJSON.segment(segment, uses: try await uses(of: id, in: environment)))
  }

  /// `PUT /v1/segments/{id}`
  func replace(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await administrator(request, to: .segmentChanged)
    let environment = administrator.environment
    try QueryReader.refuseAny(request.head)
    guard case .object(let members) = try request.object() else { throw .internalFault("A body is an object.") }
    let id: SegmentID = try request.id()
    let body = try reading { () throws(KitsError) in try SegmentBody.replace(members) }
    try await checkApp(body.app, of: id, in: environment)
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.replace(
        environment: environment, id: id, revision: body.revision, by: body.definition, call: administrator.call,
        deadline: deadline)
    }
    guard let answer else { throw .notFound }
    let json = SegmentJSON.segment(answer.segment, uses: try await uses(of: id, in: environment))
    guard answer.isReplaced else {
      var problem = Problem(
        .segmentChanged, "The segment has revision \(answer.segment.revision); current is what it is now.")
      problem.members.append((name: "current", json: json.bytes))
      throw problem
    }
    observe(.administered(.segmentChanged, refusal: nil))
    return .json(200, json)
  }

  /// A segment stays with its app: naming it is fine, naming another one isn't.
  private func checkApp(_ app: AppID?, of id: SegmentID, in environment: EnvironmentNumber) async throws(Problem) {
    guard let app else { return }
    let segment = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.read(environment: environment, id: id, deadline: deadline)
    }
    guard let segment, segment.app != app else { return }
    throw Problem(
      .bodyInvalid, "1 field is invalid.",
      fields: [.init(.pointer("/app_id"), .notAllowed, "A segment stays with its app.")])
  }

  /// `DELETE /v1/segments/{id}`
  func delete(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await administrator(request, to: .segmentDeleted)
    let environment = administrator.environment
    var query = QueryReader(request.head, allowed: ["force"])
    let isForced = query.choice("force", ["true": true, "false": false]) ?? false
    try query.finish()
    let id: SegmentID = try request.id()
    let isGone = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.delete(
        environment: environment, id: id, isForced: isForced, call: administrator.call, deadline: deadline)
    }
    guard let isGone else { throw .notFound }
    guard isGone else {
      var json = JSONWriter()
      SegmentJSON.write(try await uses(of: id, in: environment), to: &json)
      var problem = Problem(.segmentInUse, "Messages that are not planned yet need the segment; used_by names them.")
      problem.members.append((name: "used_by", json: json.bytes))
      throw problem
    }
    observe(.administered(.segmentDeleted, refusal: nil))
    return .noContent
  }

  private func uses(
    of id: SegmentID, in environment: EnvironmentNumber
  ) async throws(Problem) -> [SegmentUse] {
    try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.uses(environment: environment, id: id, deadline: deadline)
    }
  }
}
