/// Which user, if any, an installation is bound to. Every change makes a new id and a higher number.
package struct BindingState: Hashable, Sendable {
  package let id: BindingID
  package let number: Int64
  package let externalID: String?
  /// True only when a token or a backend made the binding.
  package let verified: Bool
  package let changedAt: Timestamp

  package init(id: BindingID, number: Int64, externalID: String?, verified: Bool, changedAt: Timestamp) {
    self.id = id
    self.number = number
    self.externalID = externalID
    self.verified = verified
    self.changedAt = changedAt
  }
}
