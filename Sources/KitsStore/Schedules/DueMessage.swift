package import KitsCore

/// A scheduled message whose time has come.
package struct DueMessage: Sendable {
  package let id: MessageID
  package let app: AppNumber
  package let createdBy: ServerKeyID
  package let revision: Int64
  /// Nobody is bound in its environment without a proof that holds.
  package let enforcesProof: Bool
  /// As it was decided when it was created or changed.
  package let isVerifiedOnly: Bool
  /// A segment that it names asks about the user, as it is now.
  package let segmentsDependOnUser: Bool
  /// Of a message by local time: the time on the wall, as if it were UTC's.
  package let localAt: Timestamp?
  package let body: [UInt8]

  package var start: ScheduledStart { ScheduledStart(revision: revision, localAt: localAt) }
}
