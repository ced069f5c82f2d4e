internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension IdentityHandlers {
  /// `GET /v1/installations/{id}/identity`
  func read(_ request: Request) async throws(Problem) -> Response {
    let operation = try Self.askedOperation(request.head)
    let view: IdentityView
    switch try gate.caller(request.head) {
    case .device(let token): view = try await own(token, operation)
    case .server(let key):
      let principal = try await gate.principal(of: key, needing: .usersRead)
      view = try await identities.view(of: try request.id(), in: principal.environment, operation)
    }
    return .json(200, IdentityJSON.identity(view, asked: operation != nil))
  }

  /// `GET /v1/installations/{id}/identity-policy`
  func readPolicy(_ request: Request) async throws(Problem) -> Response {
    .json(200, IdentityJSON.policy(try await own(try gate.deviceToken(request.head), nil)))
  }

  private func own(_ token: DeviceToken, _ operation: IdentityOperationID?) async throws(Problem) -> IdentityView {
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await identities.read(
        app: token.app, number: token.installation, generation: token.generation, operation: operation,
        deadline: deadline)
    }
    guard let found else { throw .endedDeviceToken }
    return found
  }
}

extension IdentityStore {
  /// Of an installation of the environment; others don't exist for its server keys.
  func view(
    of installation: InstallationID, in environment: EnvironmentNumber, _ operation: IdentityOperationID? = nil
  ) async throws(Problem) -> IdentityView {
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await read(environment: environment, id: installation, operation: operation, deadline: deadline)
    }
    guard let found else { throw .notFound }
    return found
  }
}
