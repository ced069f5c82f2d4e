internal import KitsCore
internal import KitsStore

/// A server key that may make a change, and how the audit log names the call.
struct Administrator: Sendable {
  let principal: ServerKeyPrincipal
  let call: AuditedCall

  var environment: EnvironmentNumber { principal.environment }
}
