internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension InstallationHandlers {
  /// `GET /v1/installations/{id}`
  func read(_ request: Request) async throws(Problem) -> Response {
    switch try gate.caller(request.head) {
    case .device(let token): return .json(200, InstallationJSON.write(try await own(token)))
    case .server(let key):
      let principal = try await gate.principal(of: key, needing: .installationsRead)
      let id = try request.id(InstallationID.self)
      let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
        try await installations.ranked(environment: principal.environment, id: id, deadline: deadline)
      }
      guard let found else { throw .notFound }
      return .json(200, InstallationJSON.write(found.installation, ranking: found.policy))
    }
  }

  /// `DELETE /v1/installations/{id}`: with a device token harmless to repeat; to a server key the second is 404.
  func delete(_ request: Request) async throws(Problem) -> Response {
    switch try gate.caller(request.head) {
    case .device(let token):
      let isGone = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
        try await installations.delete(
          app: token.app, number: token.installation, generation: token.generation, deadline: deadline)
      }
      guard isGone else { throw .endedDeviceToken }
    case .server(let key):
      let principal = try await gate.principal(of: key, needing: .installationsWrite)
      let id = try request.id(InstallationID.self)
      let isGone = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
        try await installations.delete(environment: principal.environment, id: id, deadline: deadline)
      }
      guard isGone else { throw .notFound }
    }
    answers.observe(.installationDeleted)
    return .noContent
  }

  func own(_ token: DeviceToken) async throws(Problem) -> Installation {
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.read(
        app: token.app, number: token.installation, generation: token.generation, deadline: deadline)
    }
    guard let found else { throw .endedDeviceToken }
    return found
  }
}
