/// The call behind a change: who makes it, what it does, and the request it came with. Statements that change something
/// write it down in the same transaction.
package struct AuditedCall: Sendable, Equatable {
  package let actor: Actor
  package let action: AuditAction
  /// Nil at the command line.
  package let requestID: String?

  package init(actor: Actor, action: AuditAction, requestID: String? = nil) {
    self.actor = actor
    self.action = action
    self.requestID = requestID
  }
}

extension AuditedCall {
  /// What an operator does at the command line.
  package static func commandLine(_ action: AuditAction) -> AuditedCall {
    AuditedCall(actor: .commandLine, action: action)
  }
}
