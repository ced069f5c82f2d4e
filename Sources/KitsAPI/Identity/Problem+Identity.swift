internal import JSON
internal import KitsCore

extension Problem {
  static func rebindConflict(_ standing: IdentityAnswer.Standing) -> Problem {
    var problem = Problem(
      .identityRebindConflict, "The binding or the policy isn't the expected one. Nothing was changed.")
    problem.members = [
      ("binding", IdentityJSON.binding(standing.binding)), ("policy_revision", json(standing.policyRevision)),
      ("replayed", Array((standing.isReplay ? "true" : "false").utf8)),
    ]
    return problem
  }

  static func authModeChanged(_ mode: AuthMode, policyRevision: Int64) -> Problem {
    var problem = Problem(.identityAuthModeChanged, "The environment is in the mode \(mode.name).")
    problem.members = [("auth_mode", Array("\"\(mode.name)\"".utf8)), ("policy_revision", json(policyRevision))]
    return problem
  }

  static var identityOperationReused: Problem {
    Problem(.identityOperationReused, "The operation id was used for another login or logout of this installation.")
  }

  /// The cause is for the operator alone: only whether a fresh proof would do is told.
  static func proofRefused(_ cause: String) -> Problem {
    IdentityProofs.isExpiry(cause)
      ? Problem(.identityTokenExpired, "The identity token is no longer good.")
      : Problem(.identityTokenInvalid, "The identity token is not valid for this installation.")
  }

  private static func json(_ number: Int64) -> [UInt8] { Array(String(number).utf8) }
}
