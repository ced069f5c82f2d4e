package import JSON
package import KitsCore

/// Reads one row of an import, given as the object that the API takes at registration with what only an import may
/// say: `external_id`, `tags` and the totals of sessions. The rules are the API's, because its readers do the work.
package struct ImportedInstallationReader: Sendable {
  /// What a row may say of its user.
  package enum ExternalIDs: Sendable, Equatable {
    /// Taken as it is, without proof.
    case taken
    /// Left out: every installation becomes anonymous.
    case left
    /// A row that has one is refused.
    case refused
  }

  private let platforms: [Platform]
  private let externalIDs: ExternalIDs
  private let now: Timestamp
  private let refusesUnknown: Bool

  private static let microsecondsPerSecond: Int64 = 1_000_000
  /// What only a device can tell, or nobody may set for it.
  private static let foreign = [
    ("identifiers", "Identifiers are told by the device itself."),
    ("customer_user_id", "It is told by the device itself; an import has external_id."),
  ]

  /// - Parameters:
  ///   - refusesUnknown: whether a member that has no meaning is a fault.
  package init(_ target: ImportTarget, externalIDs: ExternalIDs, refusesUnknown: Bool) {
    platforms = target.platforms
    now = target.now
    self.externalIDs = externalIDs
    self.refusesUnknown = refusesUnknown
  }

  /// Nil when `faults` has something.
  package func read(_ row: JSONValue, into faults: FaultCollector) -> ImportedInstallation? {
    let object = ObjectReader(row, into: faults)
    // That it is no object says it all.
    guard faults.isEmpty else { return nil }
    let platform = platform(object)
    for (name, detail) in Self.foreign where object.has(name) { object.refuse(name, .notAllowed, detail) }
    let state = DesiredStateReader(object: object, isPatch: false, platform: platform).read()
    let token = token(state, object)
    let externalID = externalID(object)
    let tags = Self.tags(object)
    let sessions = sessions(object)
    if refusesUnknown { object.refuseUnknown() }
    guard faults.isEmpty, let platform, let token else { return nil }
    return ImportedInstallation(
      platform: platform, pushToken: token, state: state, externalID: externalID, tags: tags, sessions: sessions)
  }

  /// May be left out where the app has one platform.
  private func platform(_ object: ObjectReader) -> Platform? {
    guard let member = object.member("platform"), !member.isNull else {
      if platforms.count == 1 { return platforms[0] }
      object.refuse("platform", .missing, "It is required: the app has several platforms.")
      return nil
    }
    guard let platform = member.choice(Platform.names) else { return nil }
    guard platforms.contains(platform) else {
      return member.refuse(.notAllowed, "The app has no such platform.")
    }
    return platform
  }

  private func token(_ state: DesiredState, _ object: ObjectReader) -> PushToken? {
    if case .set(let token) = state.pushToken { return token }
    if object.value("push_token")?.isNull ?? true {
      object.refuse("push_token", .missing, "It is required: an installation without it can't be found again.")
    }
    return nil
  }

  private func externalID(_ object: ObjectReader) -> ExternalID? {
    guard let member = object.member("external_id"), !member.isNull else { return nil }
    switch externalIDs {
    case .left: return nil
    case .taken: return member.externalID()
    case .refused:
      return member.refuse(
        .notAllowed, "The environment is VERIFIED: who a user is must be proven. See --trust-external-ids.")
    }
  }

  private static func tags(_ object: ObjectReader) -> [ImportedInstallation.Tag] {
    guard let member = object.member("tags"), !member.isNull, let given = member.object() else { return [] }
    guard given.names.count <= Limits.tags else {
      member.refuse(.tooMany, "An installation has at most \(Limits.tags) tags.")
      return []
    }
    var tags: [ImportedInstallation.Tag] = []
    var bytes = 0
    for name in given.names {
      guard let key = TagKey(name) else {
        member.refuse(.badFormat, "A tag's key has \(TagKey.form).")
        continue
      }
      guard let value = given.requiredString(name, bytes: 0...Limits.tagValueBytes, refuseControls: true) else {
        continue
      }
      bytes += name.utf8.count + value.utf8.count
      tags.append(ImportedInstallation.Tag(key, value))
    }
    if bytes > Limits.tagsBytes {
      member.refuse(.tooLarge, "All keys and values have at most \(Limits.tagsBytes) bytes together.")
    }
    return tags
  }

  private func sessions(_ object: ObjectReader) -> ImportedInstallation.Sessions {
    let first = moment("first_session", object)
    let last = moment("last_session", object)
    if let first, let last, last < first {
      object.refuse("last_session", .conflict, "It must not be before first_session.")
    }
    let count = object.integer("session_count", in: Limits.importSessionCount, nullIsAbsent: true)
    let seconds = object.integer("foreground_seconds", in: Limits.importForegroundSeconds, nullIsAbsent: true)
    return ImportedInstallation.Sessions(
      firstAt: first ?? last, lastAt: last ?? first, count: count ?? (first == nil && last == nil ? 0 : 1),
      foregroundSeconds: seconds ?? 0)
  }

  /// An RFC 3339 date-time or seconds since 1970, and not later than now, but for clocks that are a little ahead.
  private func moment(_ name: String, _ object: ObjectReader) -> Timestamp? {
    guard let member = object.member(name), !member.isNull else { return nil }
    let moment: Int64?
    if case .integer = member.value {
      moment = member.integer(in: Limits.importMoment).map { $0 * Self.microsecondsPerSecond }
    } else {
      moment = member.timestamp()
    }
    guard let moment else { return nil }
    guard moment <= now.microseconds + Limits.sessionSkewSeconds * Self.microsecondsPerSecond else {
      return member.refuse(.tooLarge, "It must not be in the future.")
    }
    guard moment >= Limits.importMoment.lowerBound * Self.microsecondsPerSecond else {
      return member.refuse(.tooSmall, "It must not be before the year 2000.")
    }
    return min(Timestamp(microseconds: moment), now)
  }
}

extension JSONFault.Code {
  /// As reports of imports name it: the API's name.
  package var importCode: String { fieldCode.rawValue }
}
