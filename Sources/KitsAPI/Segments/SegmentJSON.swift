internal import JSON
internal import KitsCore
internal import KitsStore

/// How segments are answered.
enum SegmentJSON {
  /// `Segment` of the contract.
  static func segment(_ segment: Segment, uses: [SegmentUse]) -> JSONWriter {
    var json = JSONWriter()
    write(segment, uses: uses, to: &json)
    return json
  }

  static func write(_ segment: Segment, uses: [SegmentUse], to json: inout JSONWriter) {
    json.beginObject()
    head(segment, &json)
    json.key("filter")
    FilterWriter.write(segment.filter, to: &json)
    json.key("used_by")
    write(uses, to: &json)
    json.endObject()
  }

  static func write(_ uses: [SegmentUse], to json: inout JSONWriter) {
    json.beginArray()
    for use in uses {
      json.beginObject()
      json.member("message_id", use.message)
      json.member("created_at", use.createdAt)
      json.member("excluded", use.isExcluded)
      json.endObject()
    }
    json.endArray()
  }

  /// A page of `SegmentSummary`.
  static func page(_ segments: [Segment], nextCursor: String?) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.key("data")
    json.beginArray()
    for segment in segments {
      json.beginObject()
      head(segment, &json)
      json.endObject()
    }
    json.endArray()
    json.member("next_cursor", nextCursor)
    json.endObject()
    return json
  }

  private static func head(_ segment: Segment, _ json: inout JSONWriter) {
    json.member("id", segment.id)
    json.member("app_id", segment.app)
    json.member("name", segment.name)
    json.member("include_anonymous", segment.includesAnonymous)
    json.member("revision", Int64?.some(segment.revision))
    json.member("created_at", segment.createdAt)
    json.member("updated_at", segment.updatedAt)
  }

  /// `AudiencePreview` of the contract.
  static func preview(_ preview: AudiencePreview, app: AppID, isVerifiedOnly: Bool) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("app_id", app)
    json.member("verified_only", isVerifiedOnly)
    switch preview.method {
    case .exact(let digest):
      json.member("method", String?.some("exact"))
      json.member("digest", digest.text)
      json.key("error")
      json.null()
    case .estimated(let matching, let sendable):
      json.member("method", String?.some("estimated"))
      json.member("digest", String?.none)
      json.key("error")
      count(AudiencePreview.Count(matching: matching, sendable: sendable), &json)
    }
    let total = preview.count()
    json.member("matching", Int64?.some(total.matching))
    json.member("sendable", Int64?.some(total.sendable))
    json.key("by_platform")
    json.beginObject()
    for platform in Platform.allCases {
      json.key(platform.name)
      count(preview.count { $0.platform == platform }, &json)
    }
    json.endObject()
    json.key("by_identity")
    json.beginObject()
    json.key("identified")
    count(preview.count(\.isIdentified), &json)
    json.key("anonymous")
    count(preview.count { !$0.isIdentified }, &json)
    json.endObject()
    json.key("sample")
    json.beginArray()
    for id in preview.sample { json.value(id.text) }
    json.endArray()
    json.member("evaluated_at", preview.evaluatedAt)
    json.endObject()
    return json
  }

  private static func count(_ count: AudiencePreview.Count, _ json: inout JSONWriter) {
    json.beginObject()
    json.member("matching", Int64?.some(count.matching))
    json.member("sendable", Int64?.some(count.sendable))
    json.endObject()
  }
}
