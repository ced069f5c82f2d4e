internal import JSON
internal import KitsCore

/// How guards and what they refused are answered.
enum AudienceGuardsJSON {
  static func write(_ guards: AudienceGuards, to json: inout JSONWriter) {
    json.member("max_recipients", guards.maxRecipients)
    json.key("expected_audience")
    if let expected = guards.expected {
      json.beginObject()
      json.member("digest", expected.digest.text)
      json.member("count", expected.count)
      json.endObject()
    } else {
      json.null()
    }
  }

  static func write(_ refusal: MessageRefusal, to json: inout JSONWriter) {
    json.beginObject()
    json.member("code", refusal.reason.code)
    json.member("found_count", Int64?.some(refusal.foundCount))
    json.member("found_digest", refusal.foundDigest?.text)
    json.member("refused_at", refusal.at)
    json.endObject()
  }
}
