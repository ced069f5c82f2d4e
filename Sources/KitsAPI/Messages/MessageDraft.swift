internal import JSON
internal import KitsCore

/// The body of `POST /v1/messages`, validated.
struct MessageDraft: Sendable {
  let content: MessageContent
  let target: MessageTarget
  /// Segments whose members are left out.
  let excluded: [SegmentID]
  let guards: AudienceGuards
  /// As the caller said; nil when the target decides.
  let isVerifiedOnly: Bool?
  let onUnknown: OnUnknown
  /// Nil when it starts at once.
  let schedule: MessageSchedule?
  let throttlePerMinute: Int32?

  /// Reads the body; every wrong field is named at once.
  ///
  /// - Parameter now: nil to take times that are past too.
  init(_ body: JSONObject, now: Timestamp? = nil) throws(KitsError) {
    let faults = FaultCollector()
    let reader = ObjectReader(.object(body), into: faults)
    let content = MessageContentReader(reader, body: body, faults).read()
    let wish = MessageTargetReader(reader).read()
    guards = AudienceGuardsReader(reader).read()
    _ = reader.uuid("app_id", nullIsAbsent: true)
    isVerifiedOnly = reader.bool("verified_only", nullIsAbsent: true)
    onUnknown =
      reader.choice("on_unknown", ["resend": OnUnknown.resend, "skip": .skip], nullIsAbsent: true) ?? .resend
    let times = MessageScheduleReader(reader, now: now)
    schedule = times.schedule()
    throttlePerMinute = times.throttle()
    reader.refuseUnknown()
    if let error = KitsError(faults) { throw error }
    guard let wish else {
      throw KitsError(.internalFault, "A target was neither read nor refused.")
    }
    self.content = content
    target = wish.target
    excluded = wish.excluded
  }

  /// The app that a body names; nil when it names none in a readable way, which `init` then refuses.
  static func app(of body: JSONObject) -> AppID? {
    body["app_id"]?.string.flatMap(AppID.init(parsing:))
  }
}
