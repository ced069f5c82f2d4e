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

  /// Reads the body; every wrong field is named at once.
  init(_ body: JSONObject) throws(KitsError) {
    let faults = FaultCollector()
    let reader = ObjectReader(.object(body), into: faults)
    let content = MessageContentReader(reader, body: body, faults).read()
    let wish = MessageTargetReader(reader).read()
    guards = AudienceGuardsReader(reader).read()
    _ = reader.uuid("app_id", nullIsAbsent: true)
    isVerifiedOnly = reader.bool("verified_only", nullIsAbsent: true)
    onUnknown =
      reader.choice("on_unknown", ["resend": OnUnknown.resend, "skip": .skip], nullIsAbsent: true) ?? .resend
    Self.refuseLaterFields(reader)
    reader.refuseUnknown()
    if let error = Self.error(faults) { throw error }
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

  /// Fields of later versions. Ignoring one would send what its caller meant to hold back.
  private static let laterFields = ["send_at", "send_at_local", "throttle_per_minute"]

  private static func refuseLaterFields(_ reader: ObjectReader) {
    for name in laterFields where reader.given(name) != nil {
      reader.refuse(name, .notAvailableYet, "It is not available in this version.")
    }
    // False is what leaving them out means (K9), so false is fine today.
    for name in ["track_events", "track_receipts"] where reader.bool(name, nullIsAbsent: true) == true {
      reader.refuse(name, .notAvailableYet, "It is not available in this version.")
    }
  }

  private static func error(_ faults: FaultCollector) -> KitsError? {
    guard !faults.isEmpty else { return nil }
    let isOnlyEarly = faults.omitted == 0 && faults.faults.allSatisfy { $0.code == .notAvailableYet }
    let count = faults.faults.count + faults.omitted
    let fields = count == 1 ? "1 field is" : "\(count) fields are"
    return KitsError(
      isOnlyEarly ? .notAvailableYet : .bodyInvalid,
      isOnlyEarly ? "\(fields) not available in this version." : "\(fields) invalid.",
      fields: faults.faults.map { .init(.pointer($0.pointer), $0.code.fieldCode, $0.detail) })
  }
}
