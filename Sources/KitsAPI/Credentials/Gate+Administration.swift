internal import HTTPServer
internal import KitsCore
internal import KitsStore

extension Gate {
  /// The role of a server key is that of who created it: whatever its scopes, it may do no more than they may.
  static func authorise(_ principal: ServerKeyPrincipal, _ privilege: Privilege) throws(Problem) {
    guard principal.role.may(privilege) else {
      throw Problem(.roleForbidden, "A key of the role \(principal.role.name) may not do this.")
    }
  }

  /// Lets a change through when the key has the scope and its role allows it. A refusal goes into the audit log.
  ///
  /// - Parameter target: what the request names; nil ids for what can't be one.
  func administrator(
    _ request: Request, needing scope: Scope, to action: AuditAction, on target: AuditTarget
  ) async throws(Problem) -> Administrator {
    let principal = try await principal(of: try serverKey(request.head))
    let call = AuditedCall(actor: principal.actor, action: action, requestID: request.head.requestID)
    let administrator = Administrator(principal: principal, call: call)
    do throws(Problem) {
      try Self.require(scope, of: principal)
      try Self.authorise(principal, action.privilege)
    } catch {
      throw await refused(administrator, on: target, error)
    }
    return administrator
  }

  /// Writes a refusal down and returns its problem, which is the answer even when the log can't be written: nothing was
  /// changed.
  ///
  /// - Parameter found: the kind of thing that was given in place of the right one, never the thing.
  func refused(
    _ administrator: Administrator, on target: AuditTarget, found: String? = nil, _ problem: Problem
  ) async -> Problem {
    let call = administrator.call
    observe(.administered(call.action, refusal: problem.code))
    let refusal = AuditRefusal(
      call, in: administrator.environment, target: target, code: problem.code, found: found)
    do {
      try await audit.record(refusal, deadline: StorePatience.deadline)
    } catch {
      let fault = StoreFault(error)
      observe(.databaseFault(requestID: call.requestID ?? "", code: fault.code, cause: fault.cause))
    }
    return problem
  }
}
