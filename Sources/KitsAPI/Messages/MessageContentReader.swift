internal import JSON
internal import KitsCore

/// Reads the content fields of a body. What doesn't fit becomes a fault; the value is only good when there is none.
struct MessageContentReader {
  private let reader: ObjectReader
  private let body: JSONObject
  private let faults: FaultCollector

  init(_ reader: ObjectReader, body: JSONObject, _ faults: FaultCollector) {
    self.reader = reader
    self.body = body
    self.faults = faults
  }

  func read() -> MessageContent {
    let text = reader.messageText()
    let localizations = MessageLocalizationsReader(reader).read()
    let data = self.data()
    let imageURL = self.imageURL()
    let url = self.url()
    let appearance = self.appearance()
    let threadID = reader.line("thread_id", bytes: Limits.threadIDBytes)
    let collapseID = self.collapseID()
    let priority = reader.choice("priority", Self.priorities, nullIsAbsent: true)
    let ttl = reader.integer("ttl_seconds", in: Limits.ttlSeconds, nullIsAbsent: true) ?? Limits.defaultTTLSeconds
    let isMutable = reader.bool("mutable_content", nullIsAbsent: true) ?? false
    let coherence = MessageCoherence(reader, faults)
    let isSilent = coherence.check(isMutable: isMutable, priority: priority)
    let tracking = coherence.checkTracking()
    let effectivePriority = priority ?? (isSilent ? .normal : .high)
    return MessageContent(
      text: text, localizations: localizations, data: data, imageURL: imageURL, url: url, appearance: appearance,
      threadID: threadID, collapseID: collapseID, priority: effectivePriority, ttlSeconds: Int32(clamping: ttl),
      isSilent: isSilent, isMutable: isMutable || imageURL != nil || tracking.contains(.receipts),
      tracking: tracking,
      json: MessageContentWriter(body).write(
        priority: effectivePriority, ttlSeconds: ttl, interruptionLevel: appearance.interruptionLevel))
  }

  private static let priorities = Dictionary(uniqueKeysWithValues: MessagePriority.allCases.map { ($0.name, $0) })

  /// Names longer than this are not repeated in an answer.
  private static let longestEchoedName = 128

  /// Its own members are the app's, except those that Apple or the SDK would take for theirs.
  private func data() -> JSONObject? {
    guard let element = reader.given("data"), let data = element.object(), let members = element.value.object else {
      return nil
    }
    for name in members.keys where name == "aps" || name.utf8.starts(with: "kits_".utf8) {
      if name.utf8.count <= Self.longestEchoedName {
        data.refuse(name, .reserved, "The names aps and kits_… are reserved.")
      } else {
        element.refuse(.reserved, "The names aps and kits_… are reserved.")
      }
    }
    return members
  }

  /// Purely a matter of syntax: the server never fetches it, the device does.
  private func imageURL() -> String? {
    guard let element = reader.given("image_url"), let text = element.line(bytes: Limits.urlBytes) else { return nil }
    guard let uri = URIReference(text), uri.scheme == "https", let authority = uri.authority, authority.namesServer
    else { return element.refuse(.badFormat, "It must be an absolute https URL with a host, in ASCII.") }
    guard authority.userInfo == nil else { return element.refuse(.badFormat, "It must not have user info.") }
    return text
  }

  private func url() -> String? {
    guard let element = reader.given("url"), let text = element.line(bytes: Limits.urlBytes) else { return nil }
    guard URIReference(text) != nil else {
      return element.refuse(.badFormat, "It must be an absolute URI, in ASCII and without white space.")
    }
    return text
  }

  private func appearance() -> MessageContent.Appearance {
    MessageContent.Appearance(
      category: reader.line("ios_category", bytes: Limits.categoryBytes), sound: sound(),
      badge: reader.integer("ios_badge", in: Limits.badge, nullIsAbsent: true),
      interruptionLevel: reader.choice("ios_interruption_level", InterruptionLevel.spellings, nullIsAbsent: true),
      relevanceScore: fraction("ios_relevance_score", of: reader, in: Limits.relevanceScore))
  }

  /// A number as it was written: an integer stays one.
  private func fraction(_ name: String, of reader: ObjectReader, in range: ClosedRange<Double>) -> JSONValue? {
    guard let element = reader.given(name), element.number(in: range) != nil else { return nil }
    return element.value
  }

  private func sound() -> MessageSound? {
    guard let element = reader.given("ios_sound") else { return nil }
    if case .string = element.value { return element.line(bytes: Limits.soundNameBytes).map(MessageSound.named) }
    guard element.value.object != nil, let sound = element.object() else {
      return element.refuse(.wrongType, "It must be a string or an object.")
    }
    let name = sound.line("name", bytes: Limits.soundNameBytes) ?? "default"
    let isCritical = sound.bool("critical", nullIsAbsent: true) ?? false
    let volume = fraction("volume", of: sound, in: Limits.soundVolume)
    sound.refuseUnknown()
    return isCritical || volume != nil ? .detailed(name: name, isCritical: isCritical, volume: volume) : .named(name)
  }

  /// It travels as a header, so only printable ASCII without spaces at its ends.
  private func collapseID() -> String? {
    guard let element = reader.given("collapse_id"), let text = element.line(bytes: Limits.collapseIDBytes) else {
      return nil
    }
    let space = UInt8(ascii: " ")
    guard text.utf8.allSatisfy({ $0 >= space && $0 < 0x7F }), text.utf8.first != space, text.utf8.last != space else {
      return element.refuse(.badFormat, "It must be printable ASCII without spaces at its ends.")
    }
    return text
  }
}

extension ObjectReader {
  /// The three texts; of a body and of a localization.
  func messageText() -> MessageText {
    MessageText(
      title: text("title", bytes: Limits.textBytes), subtitle: text("subtitle", bytes: Limits.textBytes),
      body: text("body", bytes: Limits.textBytes))
  }
}
