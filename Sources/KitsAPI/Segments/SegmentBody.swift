internal import JSON
internal import KitsCore
internal import KitsStore

/// The bodies of segment routes, validated: every wrong field is named at once.
enum SegmentBody {
  /// Of `POST /v1/segments`.
  static func create(_ body: JSONObject) throws(KitsError) -> SegmentDefinition {
    try read(body) { reader in
      // Which app it names was decided before.
      _ = reader.uuid("app_id", nullIsAbsent: true)
      return definition(reader)
    }
  }

  struct Replacement: Sendable {
    let revision: Int64
    let app: AppID?
    let definition: SegmentDefinition
  }

  /// Of `PUT /v1/segments/{id}`.
  static func replace(_ body: JSONObject) throws(KitsError) -> Replacement {
    try read(body) { reader in
      let revision = reader.requiredInteger("revision", in: Limits.segmentRevision)
      let app = reader.uuid("app_id", nullIsAbsent: true).map(AppID.init)
      guard let definition = definition(reader), let revision else { return nil }
      return Replacement(revision: revision, app: app, definition: definition)
    }
  }

  private static func definition(_ reader: ObjectReader) -> SegmentDefinition? {
    let name = reader.requiredString("name", bytes: Limits.segmentNameBytes, refuseControls: true)
    let filter = reader.requiredMember("filter").flatMap(FilterReader.read)
    let includesAnonymous = reader.bool("include_anonymous", nullIsAbsent: true) ?? true
    guard let name, let filter else { return nil }
    return SegmentDefinition(name: name, filter: filter, includesAnonymous: includesAnonymous)
  }

  /// Whom a preview is about.
  struct Audience: Sendable {
    let source: Source
    let excluded: [SegmentID]
    let includesAnonymous: Bool
    /// As the caller said; nil when the audience decides, as it does for a message.
    let isVerifiedOnly: Bool?

    enum Source: Sendable {
      case filter(Filter)
      case segments([SegmentID])
    }
  }

  /// Of `POST /v1/segments/preview`.
  static func preview(_ body: JSONObject) throws(KitsError) -> Audience {
    try read(body) { reader in
      _ = reader.uuid("app_id", nullIsAbsent: true)
      let source = source(reader)
      let excluded = segments("exclude_segment_ids", reader)
      let includesAnonymous = reader.bool("include_anonymous", nullIsAbsent: true) ?? true
      let isVerifiedOnly = reader.bool("verified_only", nullIsAbsent: true)
      return source.map {
        Audience(
          source: $0, excluded: excluded ?? [], includesAnonymous: includesAnonymous, isVerifiedOnly: isVerifiedOnly)
      }
    }
  }

  private static func source(_ reader: ObjectReader) -> Audience.Source? {
    let filter = reader.given("filter").map(FilterReader.read)
    let segments = segments("segment_ids", reader)
    switch (reader.given("filter") != nil, reader.given("segment_ids") != nil) {
    case (true, true): reader.refuse("segment_ids", .conflict, "There must be filter or segment_ids, not both.")
    case (false, false): reader.refuse("filter", .missing, "There must be filter or segment_ids.")
    default: break
    }
    return (filter ?? nil).map(Audience.Source.filter) ?? segments.map(Audience.Source.segments)
  }

  private static func segments(_ name: String, _ reader: ObjectReader) -> [SegmentID]? {
    reader.array(name, count: Limits.segmentsPerAudience, nullIsAbsent: true)?
      .compactMap { $0.uuid().map(SegmentID.init) }
  }

  private static func read<Value>(
    _ body: JSONObject, _ read: (ObjectReader) -> Value?
  ) throws(KitsError) -> Value {
    let faults = FaultCollector()
    let reader = ObjectReader(.object(body), into: faults)
    let value = read(reader)
    reader.refuseUnknown()
    if let error = KitsError(faults) { throw error }
    guard let value else { throw KitsError(.internalFault, "A body was neither read nor refused.") }
    return value
  }
}

extension KitsError {
  /// Nil without faults. When all of them are about what comes later, nothing is wrong with the request itself.
  fileprivate init?(_ faults: FaultCollector) {
    guard !faults.isEmpty else { return nil }
    let isOnlyEarly = faults.omitted == 0 && faults.faults.allSatisfy { $0.code == .notAvailableYet }
    let count = faults.faults.count + faults.omitted
    let fields = count == 1 ? "1 field is" : "\(count) fields are"
    self.init(
      isOnlyEarly ? .notAvailableYet : .bodyInvalid,
      isOnlyEarly ? "\(fields) not available in this version." : "\(fields) invalid.",
      fields: faults.faults.map { .init(.pointer($0.pointer), $0.code.fieldCode, $0.detail) })
  }
}
