package import KitsCore

/// A message as it is to be changed.
package struct EditableMessage: Sendable {
  package let state: MessageState
  package let revision: Int64
  package let createdBy: ServerKeyID
  package let app: AppNumber
  package let appID: AppID
  /// Nobody is bound in its environment without a proof that holds.
  package let enforcesProof: Bool
  /// Of the request, merged with its changes; nil once the message isn't scheduled any more.
  package let body: [UInt8]?
}

/// A change of a scheduled message.
package struct ScheduleRevision: Sendable {
  /// The revision that it was made from.
  package let revision: Int64
  package let schedule: NewSchedule

  package init(revision: Int64, schedule: NewSchedule) {
    self.revision = revision
    self.schedule = schedule
  }

  package enum Answer: Sendable, Equatable {
    /// It says that now.
    case revised
    /// It was changed meanwhile.
    case changed
    /// It isn't scheduled any more.
    case over(MessageState)
  }
}
