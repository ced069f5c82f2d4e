internal import JSON
internal import KitsCore
internal import KitsStore

/// How pauses are answered.
enum AppPauseJSON {
  /// `AppPauses` of the contract.
  static func app(_ app: AppID, _ pauses: [AppPause], _ resumed: Resumption? = nil) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("id", app)
    json.key("pauses")
    json.beginArray()
    for pause in pauses { write(pause, to: &json) }
    json.endArray()
    json.member("tokens_lifted", Int64(resumed?.tokens ?? 0))
    json.member("deliveries_due", Int64(resumed?.retries ?? 0))
    json.endObject()
    return json
  }

  /// `Pause` of the contract.
  static func write(_ pause: AppPause, to json: inout JSONWriter) {
    json.beginObject()
    json.member("apns_environment", pause.environment.name)
    json.member("reason", pause.reason.name)
    json.member("detail", pause.detail)
    json.member("since", pause.since)
    json.endObject()
  }
}
