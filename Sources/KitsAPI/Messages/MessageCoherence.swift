internal import JSON
internal import KitsCore

/// What the content fields demand of one another. Looks at which fields are there, not at whether they are right, so
/// that a wrong field isn't also called missing.
struct MessageCoherence {
  private let reader: ObjectReader
  private let faults: FaultCollector

  init(_ reader: ObjectReader, _ faults: FaultCollector) {
    self.reader = reader
    self.faults = faults
  }

  /// What a person would notice, and what only makes sense with it.
  private static let audible = [
    "title", "subtitle", "body", "localizations", "image_url", "ios_category", "ios_sound", "ios_badge",
    "ios_interruption_level", "ios_relevance_score", "thread_id",
  ]

  /// Whether the message is a silent one.
  func check(isMutable: Bool, priority: MessagePriority?) -> Bool {
    let flag = reader.given("content_available")
    let isSilent = flag?.bool()
    // Neither kind can be assumed when the flag itself is wrong.
    guard flag == nil || isSilent != nil else { return false }
    if isSilent == true {
      checkSilent(isMutable: isMutable, priority: priority)
    } else {
      checkAlert()
    }
    return isSilent == true
  }

  /// A receipt is an event of an alert that the extension sees before it is shown (K13).
  func checkTracking() -> MessageTracking {
    let events = reader.bool("track_events", nullIsAbsent: true)
    let receipts = reader.bool("track_receipts", nullIsAbsent: true)
    guard receipts == true else { return MessageTracking(events: events ?? false, receipts: false) }
    // A track_events that is wrong itself isn't also called missing.
    if events == false || reader.given("track_events") == nil {
      reader.refuse("track_receipts", .conflict, "It needs track_events.")
    }
    if reader.given("title") == nil, reader.given("body") == nil {
      reader.refuse("track_receipts", .conflict, "It needs an alert: a title or a body.")
    }
    return MessageTracking(events: events ?? false, receipts: true)
  }

  private func checkSilent(isMutable: Bool, priority: MessagePriority?) {
    let conflict = "A silent message (content_available) can't have it."
    for name in Self.audible where reader.given(name) != nil { reader.refuse(name, .conflict, conflict) }
    if isMutable { reader.refuse("mutable_content", .conflict, conflict) }
    if let priority, priority != .normal {
      reader.refuse("priority", .notAllowed, "A silent message (content_available) has priority normal.")
    }
  }

  private func checkAlert() {
    guard reader.given("title") == nil, reader.given("body") == nil else { return }
    if reader.given("ios_badge") == nil {
      // About the body as a whole: any one of three fields would do.
      faults.add(reader.pointer, .missing, "A message needs title, body or ios_badge, or content_available.")
    }
    for name in ["subtitle", "localizations", "image_url"] where reader.given(name) != nil {
      reader.refuse(name, .conflict, "It needs a title or a body.")
    }
  }
}
