/// One delivery of a message, as lists show it.
package struct DeliveryRecord: Sendable, Equatable {
  package let position: DeliveryPosition
  /// Nil when the installation was deleted since.
  package let installation: InstallationID?
  package let standing: DeliveryStanding

  package init(position: DeliveryPosition, installation: InstallationID?, standing: DeliveryStanding) {
    self.position = position
    self.installation = installation
    self.standing = standing
  }
}
