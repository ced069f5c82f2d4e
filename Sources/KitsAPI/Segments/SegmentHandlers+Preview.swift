internal import HTTPServer
internal import KitsCore
internal import KitsStore

extension SegmentHandlers {
  /// `POST /v1/segments/preview`
  func preview(_ request: Request) async throws(Problem) -> Response {
    let call = try await call(request, needing: .segmentsRead)
    let wish = try reading { () throws(KitsError) in try SegmentBody.preview(call.body.body) }
    guard let app = call.app else { throw .internalFault("There is no app, and no fault of app_id.") }
    let audience = try await audience(wish, app.number)
    let isVerifiedOnly = wish.isVerifiedOnly ?? (audience.dependsOnUser && app.enforcesProof)
    let preview = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.preview(
        app: app.number, audience: audience, isVerifiedOnly: isVerifiedOnly, deadline: deadline)
    }
    observe(.audiencePreviewed(exactly: preview.isExact))
    return .json(200, SegmentJSON.preview(preview, app: app.id, isVerifiedOnly: isVerifiedOnly))
  }

  private func audience(_ wish: SegmentBody.Audience, _ app: AppNumber) async throws(Problem) -> Filter {
    let excluded = try await read(wish.excluded, of: app, "exclude_segment_ids")
    let included: [Filter]
    switch wish.source {
    case .filter(let filter): included = [filter]
    case .segments(let ids): included = try await read(ids, of: app, "segment_ids").map(\.audience)
    }
    let audience = Filter.audience(of: included, excluding: excluded.map(\.audience))
    return wish.includesAnonymous ? audience : audience.ofIdentifiedOnly
  }

  private func read(_ ids: [SegmentID], of app: AppNumber, _ field: String) async throws(Problem) -> [Segment] {
    if ids.isEmpty { return [] }
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.read(app: app, ids: ids, deadline: deadline)
    }
    let missing = ids.indices.filter { index in !found.contains { $0.id == ids[index] } }
    if missing.isEmpty { return found }
    throw Problem(
      .notFound, "There is no such segment of this app for this credential.",
      fields: missing.map {
        KitsError.FieldFault(.pointer("/\(field)/\($0)"), .notFound, "The app has no such segment.")
      })
  }
}

extension AudiencePreview {
  fileprivate var isExact: Bool {
    if case .exact = method { true } else { false }
  }
}
