/// A change that was asked for and refused.
package struct AuditRefusal: Sendable, Equatable {
  package let call: AuditedCall
  package let environment: EnvironmentNumber?
  package let target: AuditTarget
  package let code: KitsError.Code
  /// What kind of thing was given in place of the right one, in the words of the code. Never what the client sent.
  package let found: String?

  package init(
    _ call: AuditedCall, in environment: EnvironmentNumber?, target: AuditTarget, code: KitsError.Code,
    found: String? = nil
  ) {
    self.call = call
    self.environment = environment
    self.target = target
    self.code = code
    self.found = found
  }
}
