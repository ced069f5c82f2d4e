internal import JSON
internal import KitsCore

/// Reads when a message is to be sent: `send_at`, `send_at_local` and `throttle_per_minute`.
struct MessageScheduleReader {
  private let reader: ObjectReader
  /// Nil where times that are past, or too far away, are none of the caller's business any more.
  private let now: Timestamp?

  init(_ reader: ObjectReader, now: Timestamp?) {
    self.reader = reader
    self.now = now
  }

  /// Nil after a fault, and for a message that starts at once.
  func schedule() -> MessageSchedule? {
    let sendAt = sendAt()
    let local = local()
    if reader.given("send_at") != nil, reader.given("send_at_local") != nil {
      reader.refuse("send_at_local", .conflict, "There must be send_at or send_at_local, not both.")
    }
    return sendAt ?? local
  }

  func throttle() -> Int32? {
    reader.integer("throttle_per_minute", in: Limits.throttlePerMinute, nullIsAbsent: true).map(Int32.init(clamping:))
  }

  private func sendAt() -> MessageSchedule? {
    guard let element = reader.given("send_at"), let microseconds = element.timestamp() else { return nil }
    let schedule = MessageSchedule.at(Timestamp(microseconds: microseconds))
    check(schedule, element)
    return schedule
  }

  private func local() -> MessageSchedule? {
    guard let object = reader.object("send_at_local", nullIsAbsent: true) else { return nil }
    let at = object.requiredMember("at").flatMap(wallClock)
    let past =
      object.choice("zones_already_past", Self.choices, nullIsAbsent: true) ?? .skip
    let zone = object.string(
      "default_time_zone", bytes: Limits.timeZoneBytes, refuseControls: true, nullIsAbsent: true)
    object.refuseUnknown()
    guard let at else { return nil }
    let schedule = MessageSchedule.local(LocalSchedule(at: at, zonesPast: past, defaultZone: zone?.lowercased()))
    if let element = object.given("at") { check(schedule, element) }
    return schedule
  }

  private static let choices = Dictionary(uniqueKeysWithValues: ZonesPast.allCases.map { ($0.name, $0) })
  private static let lengthOfWallClock = 19

  /// `2026-12-01T09:00:00`, without an offset: it is everybody's own.
  private func wallClock(_ element: ElementReader) -> Timestamp? {
    let format = "It must be a date and time without an offset, like 2030-01-31T09:00:00."
    guard case .string(let text) = element.value else { return element.refuse(.wrongType, "It must be a string.") }
    guard text.utf8.count == Self.lengthOfWallClock, let microseconds = RFC3339.parse(text + "Z") else {
      return element.refuse(.badFormat, format)
    }
    return Timestamp(microseconds: microseconds)
  }

  /// By local time it must be ahead somewhere on earth.
  private func check(_ schedule: MessageSchedule, _ element: ElementReader) {
    guard let now else { return }
    if schedule.lastAt < now.advanced(bySeconds: -Limits.schedulePastSeconds) {
      element.refuse(.tooSmall, "It is past.")
    } else if schedule.startsAt > now.advanced(bySeconds: Limits.scheduleAheadSeconds) {
      element.refuse(.tooLarge, "It is more than \(Limits.scheduleAheadSeconds / 86_400) days ahead.")
    }
  }
}
