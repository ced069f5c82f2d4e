internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension InstallationHandlers {
  /// `PATCH /v1/installations/{id}`: the revision decides whether the patch is applied, known already, or refused (K4).
  func update(_ request: Request) async throws(Problem) -> Response {
    let token = try gate.deviceToken(request.head)
    let body = try request.object()
    let patch: InstallationPatch
    do {
      patch = try InstallationPatch(body, platform: token.platform)
    } catch {
      // Whether the token is still good comes before the fields.
      _ = try await own(token)
      throw error
    }
    let update = StateUpdate(
      app: token.app, number: token.installation, generation: token.generation, state: patch.state,
      stateRevision: patch.stateRevision, stateHash: SHA256.hash(patch.state.canonicalJSON))
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.update(update, deadline: deadline)
    }
    switch answer {
    case .applied(let installation): return try updated(installation, token, applied: true)
    case .current(let installation): return try updated(installation, token, applied: false)
    case .revisionReused(let installation):
      // Written differently, but nothing would come of it.
      guard patch.state.changes(installation) else { return try updated(installation, token, applied: false) }
      throw Self.revisionReused(installation)
    case .identifiersRefused(let refusal): throw Problem(refusal, of: patch.state)
    case .idsCollide: throw IDCollision.problem
    case .tokenInvalid: throw .endedDeviceToken
    }
  }

  /// A token that was minted under a key that is being retired is replaced; the old one stays good meanwhile.
  private func updated(
    _ installation: Installation, _ token: DeviceToken, applied: Bool
  ) throws(Problem) -> Response {
    let fresh = token.keyID == keys.mintingID ? nil : try deviceToken(for: installation)
    answers.observe(.installationUpdated(applied: applied))
    return .json(200, InstallationJSON.write(installation, deviceToken: fresh))
  }

  private static func revisionReused(_ installation: Installation) -> Problem {
    var problem = Problem(
      .stateRevisionReused, "The revision was used with another content. Go on from the current one plus 1.")
    problem.members = [(name: "current", json: InstallationJSON.write(installation).bytes)]
    return problem
  }
}
