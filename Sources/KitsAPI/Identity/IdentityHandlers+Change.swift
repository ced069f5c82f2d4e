internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension IdentityHandlers {
  /// `POST /v1/installations/{id}/identity`
  func change(_ request: Request) async throws(Problem) -> Response {
    let token = try gate.deviceToken(request.head)
    let body = try IdentityRequest(try request.object())
    let wish: IdentityOperation.Wish
    switch body.user {
    case .none: wish = .logout
    case .externalID(let user): wish = .login(externalID: user.text, by: .claim)
    case .token(let text):
      guard let login = try await proofs.login(text, of: token, body.change) else { throw .endedDeviceToken }
      wish = login
    }
    let caller = IdentityOperation.Caller.device(
      app: token.app, number: token.installation, generation: token.generation)
    return try await apply(wish, body.change, by: caller, to: token.id, orGone: .endedDeviceToken)
  }

  /// `POST /v1/installations/{id}/identify`
  func identify(_ request: Request) async throws(Problem) -> Response {
    let environment = try await admitted(request)
    let body = try IdentifyRequest(try request.object())
    return try await apply(
      .login(externalID: body.externalID.text, by: .backend), body.change, by: .backend(environment),
      to: try request.id(), orGone: .notFound)
  }

  /// `POST /v1/installations/{id}/logout`
  func logout(_ request: Request) async throws(Problem) -> Response {
    let environment = try await admitted(request)
    let body = try LogoutRequest(try request.object())
    return try await apply(
      .logout, body.change, by: .backend(environment), to: try request.id(), orGone: .notFound)
  }

  private func admitted(_ request: Request) async throws(Problem) -> EnvironmentNumber {
    try await gate.principal(of: try gate.serverKey(request.head), needing: .usersWrite).environment
  }

  private func apply(
    _ wish: IdentityOperation.Wish, _ change: IdentityChange, by caller: IdentityOperation.Caller,
    to installation: InstallationID, orGone gone: Problem
  ) async throws(Problem) -> Response {
    let operation = IdentityOperation(
      caller: caller, installation: installation, id: change.operation, wish: wish,
      expectedBinding: change.expectedBinding, expectedPolicyRevision: change.expectedPolicyRevision,
      newBinding: BindingID(UUIDv7.make(now: now())))
    // The operation's id makes every repetition harmless.
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await identities.apply(operation, deadline: deadline)
    }
    observe(answer)
    switch answer {
    case .done(let result, let standing):
      return .json(200, IdentityJSON.result(result, of: change.operation, told(standing, operation)))
    case .conflict(let standing): throw .rebindConflict(standing)
    case .operationReused: throw .identityOperationReused
    case .authModeChanged(let mode, let revision): throw .authModeChanged(mode, policyRevision: revision)
    case .proofRefused(let cause): throw .proofRefused(cause)
    case .gone: throw gone
    }
  }

  /// The store repeats a batch whose answer got lost: then the earlier call was this one.
  private func told(
    _ standing: IdentityAnswer.Standing, _ operation: IdentityOperation
  ) -> IdentityAnswer.Standing {
    guard standing.isReplay, standing.binding.id == operation.newBinding else { return standing }
    return IdentityAnswer.Standing(
      binding: standing.binding, policyRevision: standing.policyRevision, isReplay: false,
      overlooked: standing.overlooked)
  }

  private func observe(_ answer: IdentityAnswer) {
    switch answer {
    case .done(_, let standing) where standing.isReplay: answers.observe(.identityAnswered(.replayed))
    case .done(let result, let standing):
      answers.observe(.identityAnswered(IdentityTally(result)))
      report(standing.overlooked, overlooked: true)
    case .conflict(let standing):
      answers.observe(.identityAnswered(standing.isReplay ? .replayed : .conflict))
      report(standing.overlooked, overlooked: true)
    case .proofRefused(let cause): report(cause, overlooked: false)
    case .operationReused, .authModeChanged, .gone: break
    }
  }

  private func report(_ cause: String?, overlooked: Bool) {
    if let cause { answers.observe(.identityProofRefused(cause: cause, overlooked: overlooked)) }
  }
}
