internal import KitsCore
internal import KitsStore

extension MessageHandlers {
  /// Whether who is bound to a device decides whether a message is meant for it, by the segments that it names, too.
  /// Throws when the app doesn't have one of them.
  func dependsOnUser(_ draft: MessageDraft, app: AppNumber) async throws(Problem) -> Bool {
    var included: [SegmentID] = []
    if case .segments(let ids) = draft.target { included = ids }
    let ids = included + draft.excluded
    guard !ids.isEmpty else { return draft.target.dependsOnUser }
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await segments.read(app: app, ids: ids, deadline: deadline)
    }
    let known = Set(found.map(\.id))
    let missing =
      Self.missing(included, from: known, "segment_ids")
      + Self.missing(draft.excluded, from: known, "exclude_segment_ids")
    guard missing.isEmpty else {
      throw Problem(
        .bodyInvalid, missing.count == 1 ? "1 field is invalid." : "\(missing.count) fields are invalid.",
        fields: missing)
    }
    return draft.target.dependsOnUser || found.contains { $0.audience.dependsOnUser }
  }

  private static func missing(
    _ ids: [SegmentID], from known: Set<SegmentID>, _ name: String
  ) -> [KitsError.FieldFault] {
    ids.indices.filter { !known.contains(ids[$0]) }.map {
      KitsError.FieldFault(.pointer("/target/\(name)/\($0)"), .notFound, "The app has no such segment.")
    }
  }
}
