internal import JSON
internal import KitsCore

/// When a message is sent and how fast, as it is answered.
enum MessageTimingJSON {
  static func write(_ timing: MessageTiming, to json: inout JSONWriter) {
    var sendAt: Timestamp?
    if case .at(let time) = timing.schedule { sendAt = time }
    json.member("send_at", sendAt)
    json.key("send_at_local")
    if case .local(let local) = timing.schedule { write(local, to: &json) } else { json.null() }
    json.member("throttle_per_minute", timing.throttlePerMinute.map(Int64.init))
    json.member("revision", timing.revision)
  }

  private static func write(_ local: LocalSchedule, to json: inout JSONWriter) {
    json.beginObject()
    // As it was written: a whole second, without an offset.
    json.member("at", String(RFC3339.format(local.at.microseconds).dropLast()))
    json.member("zones_already_past", local.zonesPast.name)
    json.member("default_time_zone", local.defaultZone)
    json.endObject()
  }
}
