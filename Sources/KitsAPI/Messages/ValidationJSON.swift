internal import FoundationEssentials
internal import JSON
internal import KitsCore

/// How a message that would be accepted is answered: with its payloads.
enum ValidationJSON {
  static func write(
    app: AppID, _ unmatched: MessageRecord.Unmatched, _ content: MessageContent, _ payloads: RenderedPayloads
  ) -> JSONWriter {
    var json = JSONWriter(capacity: 1_024)
    json.beginObject()
    json.member("valid", true)
    json.member("app_id", app)
    MessageJSON.unmatched(unmatched, to: &json)
    json.key("payloads")
    json.beginArray()
    let reserved = PayloadRenderer.reservedBytes(content)
    payload(payloads.base, language: nil, reserved: reserved, to: &json)
    for (localization, localized) in zip(content.localizations, payloads.localized) {
      payload(localized.payload, language: localization.name, reserved: reserved, to: &json)
    }
    json.endArray()
    json.endObject()
    return json
  }

  private static func payload(_ payload: [UInt8], language: String?, reserved: Int, to json: inout JSONWriter) {
    json.beginObject()
    json.member("language", language)
    json.member("bytes", payload.count + reserved)
    json.key("payload")
    json.raw(payload)
    json.endObject()
  }
}

extension MessageHandlers {
  /// Stands where a message that is only validated has no id: all zeros.
  static let exampleID = MessageID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}
