/// A message as it stands.
package struct MessageRecord: Sendable, Equatable {
  package let id: MessageID
  package let appID: AppID
  package let number: MessageNumber
  package let state: MessageState
  /// The content as it was validated, JSON text; nil once it was forgotten for its age.
  package let contentJSON: [UInt8]?
  package let unmatched: Unmatched
  package let isPlanned: Bool
  package let isSettled: Bool
  package let target: Target
  package let guards: AudienceGuards
  /// Nil unless the message was refused.
  package let refusal: MessageRefusal?
  /// How many recipients are known.
  package let recipients: Int64
  /// Only bindings that a token or a backend made are sent to.
  package let isVerifiedOnly: Bool
  package let onUnknown: OnUnknown
  package let times: Times
  /// What holds something of it back; nil when nothing does.
  package let pause: AppPause?

  package init(
    id: MessageID, appID: AppID, number: MessageNumber, state: MessageState, contentJSON: [UInt8]?,
    unmatched: Unmatched, isPlanned: Bool, isSettled: Bool, target: Target, guards: AudienceGuards,
    refusal: MessageRefusal?, recipients: Int64, isVerifiedOnly: Bool, onUnknown: OnUnknown, times: Times,
    pause: AppPause?
  ) {
    self.id = id
    self.appID = appID
    self.number = number
    self.state = state
    self.contentJSON = contentJSON
    self.unmatched = unmatched
    self.isPlanned = isPlanned
    self.isSettled = isSettled
    self.target = target
    self.guards = guards
    self.refusal = refusal
    self.recipients = recipients
    self.isVerifiedOnly = isVerifiedOnly
    self.onUnknown = onUnknown
    self.times = times
    self.pause = pause
  }

  /// Whom it was for, without the list.
  package struct Target: Sendable, Equatable {
    package let kind: MessageTargetKind
    /// How many different ids were asked for; nil where none are.
    package let requested: Int32?
    /// As it was stored, JSON text; nil when the target is no filter.
    package let filterJSON: [UInt8]?
    /// Those that weren't deleted since.
    package let segments: [SegmentID]
    package let excluded: [SegmentID]

    package init(
      kind: MessageTargetKind, requested: Int32?, filterJSON: [UInt8]? = nil, segments: [SegmentID] = [],
      excluded: [SegmentID] = []
    ) {
      self.kind = kind
      self.requested = requested
      self.filterJSON = filterJSON
      self.segments = segments
      self.excluded = excluded
    }
  }

  /// How many recipients planning found; nil while it isn't through.
  package var matched: Int64? { isPlanned ? refusal?.foundCount ?? recipients : nil }

  /// Named installations or users that the app doesn't have, with a sample of their ids.
  package struct Unmatched: Sendable, Equatable {
    package let count: Int32
    package let sample: [String]

    package static let none = Unmatched(count: 0, sample: [])

    package init(count: Int32, sample: [String]) {
      self.count = count
      self.sample = sample
    }
  }

  package struct Times: Sendable, Equatable {
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let startedAt: Timestamp?
    package let completedAt: Timestamp?
    package let canceledAt: Timestamp?

    package init(
      createdAt: Timestamp, expiresAt: Timestamp, startedAt: Timestamp?, completedAt: Timestamp?,
      canceledAt: Timestamp?
    ) {
      self.createdAt = createdAt
      self.expiresAt = expiresAt
      self.startedAt = startedAt
      self.completedAt = completedAt
      self.canceledAt = canceledAt
    }
  }
}
