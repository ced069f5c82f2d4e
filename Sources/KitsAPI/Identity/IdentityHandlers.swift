internal import Crypto
internal import HTTPServer
internal import KitsCore
internal import KitsStore

/// Who the user of an installation is: asked and changed by the device itself and by the customer's backend, which obey
/// the same compare-and-set, so that running both flows conflicts loudly (K28).
struct IdentityHandlers: Sendable {
  let identities: IdentityStore
  let proofs: IdentityProofs
  let gate: Gate
  let answers: Answers
  /// Milliseconds since 1970.
  let now: @Sendable () -> Int64

  init(_ surroundings: Surroundings) {
    identities = surroundings.identities
    proofs = IdentityProofs(
      directory: IdentityDirectory(store: surroundings.identities), keys: surroundings.keys, now: surroundings.now)
    gate = surroundings.gate
    answers = surroundings.answers
    now = surroundings.now
  }

  private static let identity = "/v1/installations/{id}/identity"

  var routes: [Route] {
    [
      Route(.get, Self.identity, admit: admitEither, handle: { await answers.answer($0, read) }),
      Route(
        .post, Self.identity, bodyLimit: Limits.bodyBytes, body: .json(), admit: admitOwn,
        handle: { await answers.answer($0, change) }),
      Route(
        .get, "/v1/installations/{id}/identity-policy", admit: admitOwn,
        handle: { await answers.answer($0, readPolicy) }),
      Route(
        .post, "/v1/installations/{id}/identify", bodyLimit: Limits.bodyBytes, body: .json(), admit: admitBackend,
        handle: { await answers.answer($0, identify) }),
      Route(
        .post, "/v1/installations/{id}/logout", bodyLimit: Limits.bodyBytes, body: .json(), admit: admitBackend,
        handle: { await answers.answer($0, logout) }),
    ]
  }

  @Sendable private func admitOwn(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      try InstallationHandlers.require(gate.deviceToken(head), owns: parameters)
      try QueryReader.refuseAny(head)
    }
  }

  @Sendable private func admitEither(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      if case .device(let token) = try gate.caller(head) {
        try InstallationHandlers.require(token, owns: parameters)
      }
      _ = try Self.askedOperation(head)
    }
  }

  @Sendable private func admitBackend(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      _ = try gate.serverKey(head)
      try QueryReader.refuseAny(head)
    }
  }

  static func askedOperation(_ head: RequestHead) throws(Problem) -> IdentityOperationID? {
    var query = QueryReader(head, allowed: ["operation_id"])
    let operation = query.uuid("operation_id").map(IdentityOperationID.init)
    try query.finish()
    return operation
  }
}
