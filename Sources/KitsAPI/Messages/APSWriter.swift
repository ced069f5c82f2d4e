internal import JSON

/// Apple's own dictionary, `aps` ("Generating a remote notification"). Only what was asked for is in it.
struct APSWriter {
  private let content: MessageContent

  init(_ content: MessageContent) {
    self.content = content
  }

  func write(_ text: MessageText, to json: inout JSONWriter) {
    json.beginObject()
    if !text.isEmpty { alert(text, to: &json) }
    appearance(content.appearance, to: &json)
    if content.isSilent { json.member("content-available", 1) }
    if content.isMutable { json.member("mutable-content", 1) }
    json.endObject()
  }

  private func alert(_ text: MessageText, to json: inout JSONWriter) {
    json.key("alert")
    json.beginObject()
    if let title = text.title { json.member("title", title) }
    if let subtitle = text.subtitle { json.member("subtitle", subtitle) }
    if let body = text.body { json.member("body", body) }
    json.endObject()
  }

  private func appearance(_ appearance: MessageContent.Appearance, to json: inout JSONWriter) {
    if let badge = appearance.badge { json.member("badge", badge) }
    if let sound = appearance.sound { self.sound(sound, to: &json) }
    if let threadID = content.threadID { json.member("thread-id", threadID) }
    if let category = appearance.category { json.member("category", category) }
    if let level = appearance.interruptionLevel { json.member("interruption-level", level.rawValue) }
    if let score = appearance.relevanceScore { json.member("relevance-score", score) }
  }

  private func sound(_ sound: MessageSound, to json: inout JSONWriter) {
    switch sound {
    case .named(let name): json.member("sound", name)
    case .detailed(let name, let isCritical, let volume):
      json.key("sound")
      json.beginObject()
      if isCritical { json.member("critical", 1) }
      json.member("name", name)
      if let volume { json.member("volume", volume) }
      json.endObject()
    }
  }
}
