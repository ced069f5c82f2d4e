internal import Crypto
internal import HTTPServer
internal import KitsCore
internal import KitsStore

extension SegmentHandlers {
  /// How often the answer of another request with the same key is looked for.
  private static let attempts = 3

  /// `POST /v1/segments`
  func create(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await administrator(request, to: .segmentCreated)
    let call = try await call(request, needing: .segmentsWrite)
    for _ in 0..<Self.attempts {
      if let earlier = try await earlier(call), let app = call.app { return try replay(earlier, of: call, app: app.id) }
      let definition = try reading { () throws(KitsError) in try SegmentBody.create(call.body.body) }
      guard let app = call.app else { throw .internalFault("There is no app, and no fault of app_id.") }
      let segment = NewSegment(
        id: SegmentID(UUIDv7.make(now: now())), app: app.number, createdBy: call.key.id, definition: definition,
        idempotency: call.body.idempotencyKey.map { .init(keyHash: $0.hash, bodyHash: call.body.bodyHash) })
      let answer = try await asking(repeatingIsHarmless: segment.idempotency != nil) {
        (deadline) async throws(StoreError) in
        try await segments.create(segment, call: administrator.call, deadline: deadline)
      }
      switch answer {
      case .created(let createdAt):
        observe(.administered(.segmentCreated, refusal: nil))
        return created(segment.id, definition, app: app.id, at: createdAt, isReplay: false)
      case .full:
        throw Problem(.segmentLimitReached, "An app may have \(Limits.segmentsPerApp) segments.")
      case .cameSecond: continue
      }
    }
    throw Problem(.overloaded, "Another request with this Idempotency-Key is being worked on.")
  }

  private func earlier(_ call: Call) async throws(Problem) -> EarlierSegment? {
    guard let key = call.body.idempotencyKey, let app = call.app else { return nil }
    return try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.earlier(app: app.number, keyHash: key.hash, deadline: deadline)
    }
  }

  /// The body says all that the first answer said, apart from the id and the time.
  private func replay(_ earlier: EarlierSegment, of call: Call, app: AppID) throws(Problem) -> Response {
    guard earlier.bodyHash == call.body.bodyHash else {
      throw Problem(.idempotencyKeyReused, "The Idempotency-Key was used with another body.")
    }
    let definition = try reading { () throws(KitsError) in try SegmentBody.create(call.body.body) }
    return created(earlier.id, definition, app: app, at: earlier.createdAt, isReplay: true)
  }

  private func created(
    _ id: SegmentID, _ definition: SegmentDefinition, app: AppID, at createdAt: Timestamp, isReplay: Bool
  ) -> Response {
    let segment = Segment(
      id: id, app: app, name: definition.name, filter: definition.filter,
      includesAnonymous: definition.includesAnonymous, revision: 1, createdAt: createdAt, updatedAt: createdAt)
    var headers = [(name: "Location", value: "/v1/segments/\(id)")]
    if isReplay { headers.append((name: "Idempotent-Replayed", value: "true")) }
    return .json(201, SegmentJSON.segment(segment, uses: []), headers: headers)
  }
}
