internal import JSON
internal import KitsCore

/// Makes the bytes that go to the push service, once per text, when the message is created: what can't be sent is
/// refused then, and a send never fails on its size.
///
/// The members have a fixed order: `aps`, `data`, then ours.
struct PayloadRenderer {
  private let content: MessageContent
  private let id: MessageID
  /// Written once: it is the same for every text, and may be as large as the body.
  private let data: [UInt8]?

  /// What a delivery adds to the payload when it is sent: always as much for the same message.
  static func reservedBytes(_ content: MessageContent) -> Int { PayloadMarks.byteCount(content.tracking) }

  private static let version = 1

  init(_ content: MessageContent, id: MessageID) {
    self.content = content
    self.id = id
    data = content.data.map { JSON.write(.object($0)) }
  }

  /// All payloads, or an error that names every text whose payload is too large.
  func render() throws(KitsError) -> RenderedPayloads {
    var faults: [KitsError.FieldFault] = []
    let base = payload(of: content.text, at: "", &faults)
    var localized: [(language: String, payload: [UInt8])] = []
    for localization in content.localizations {
      let pointer = JSONPointer.child("/localizations", localization.name)
      let text = localization.text.completed(by: content.text)
      localized.append((localization.language.text, payload(of: text, at: pointer, &faults)))
    }
    guard faults.isEmpty else {
      throw KitsError(
        .payloadTooLarge, "A rendered payload is over \(Limits.apnsPayloadBytes) bytes.", fields: faults)
    }
    return RenderedPayloads(base: base, localized: localized)
  }

  private func payload(of text: MessageText, at pointer: String, _ faults: inout [KitsError.FieldFault]) -> [UInt8] {
    // Data that can't fit is measured, not copied: 101 texts around 2 MB of it would be a lot of memory for a refusal.
    let isDataWritten = data.map { $0.count <= Limits.apnsPayloadBytes } ?? true
    let payload = write(text, data: isDataWritten ? data : [])
    let size = payload.count + (isDataWritten ? 0 : data?.count ?? 0) + Self.reservedBytes(content)
    if size > Limits.apnsPayloadBytes {
      faults.append(
        KitsError.FieldFault(
          .pointer(pointer), .tooLarge,
          "The payload has \(size) bytes; the push service takes \(Limits.apnsPayloadBytes)."))
    }
    return payload
  }

  private func write(_ text: MessageText, data: [UInt8]?) -> [UInt8] {
    var json = JSONWriter(capacity: 512 + (data?.count ?? 0))
    json.beginObject()
    json.key("aps")
    APSWriter(content).write(text, to: &json)
    if let data {
      json.key("data")
      json.raw(data)
    }
    json.member("kits_version", Self.version)
    json.member("kits_message_id", id.uuid)
    if let imageURL = content.imageURL { json.member("kits_image_url", imageURL) }
    if let url = content.url { json.member("kits_url", url) }
    json.endObject()
    return json.bytes
  }
}
