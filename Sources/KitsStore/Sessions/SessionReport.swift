package import FoundationEssentials
package import KitsCore

/// What an installation tells about one of its sessions (K6): everything so far, so that a report may come again, late,
/// or not at all.
package struct SessionReport: Sendable {
  package let app: AppNumber
  package let installation: InstallationNumber
  package let generation: Int32
  package let session: UUID
  /// Counted by the installation; a later session has a higher one.
  package let number: Int64
  /// By the device's clock.
  package let startedAt: Timestamp
  package let foregroundSeconds: Int64

  package init(
    app: AppNumber, installation: InstallationNumber, generation: Int32, session: UUID, number: Int64,
    startedAt: Timestamp, foregroundSeconds: Int64
  ) {
    self.app = app
    self.installation = installation
    self.generation = generation
    self.session = session
    self.number = number
    self.startedAt = startedAt
    self.foregroundSeconds = foregroundSeconds
  }

  package enum Answer: Sendable, Equatable {
    /// `recorded`: the report told something new.
    case totals(SessionTotals, recorded: Bool)
    /// The device doesn't consent to it (K2): nothing changed.
    case collectionOff
    /// The device token is of an older generation, or its installation is gone.
    case tokenInvalid
  }
}
