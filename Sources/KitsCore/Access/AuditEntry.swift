/// One line of the audit log.
package struct AuditEntry: Sendable, Equatable {
  /// Rises with time; the place to read on from.
  package let number: Int64
  package let at: Timestamp
  package let environment: EnvironmentID?
  package let actor: Actor
  /// As it was written: a newer version may know more than `AuditAction` here.
  package let action: String
  package let targetKind: String
  package let targetID: String?
  /// The code, when it was refused.
  package let refusal: String?
  /// The bytes of a JSON object of `[before, after]` pairs.
  package let changes: [UInt8]
  package let requestID: String?

  package init(
    number: Int64, at: Timestamp, environment: EnvironmentID?, actor: Actor, action: String, targetKind: String,
    targetID: String?, refusal: String?, changes: [UInt8], requestID: String?
  ) {
    self.number = number
    self.at = at
    self.environment = environment
    self.actor = actor
    self.action = action
    self.targetKind = targetKind
    self.targetID = targetID
    self.refusal = refusal
    self.changes = changes
    self.requestID = requestID
  }
}
