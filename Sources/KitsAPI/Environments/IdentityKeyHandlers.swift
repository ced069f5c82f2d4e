internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// The keys that verify the users of an environment (K20). Only public halves come in; what is shown of them is the
/// fingerprint.
struct IdentityKeyHandlers: Sendable {
  private let gate: Gate
  private let environments: EnvironmentStore
  private let answers: Answers

  init(_ surroundings: Surroundings) {
    gate = surroundings.gate
    environments = surroundings.environments
    answers = surroundings.answers
  }

  var routes: [Route] {
    [
      Route(.get, "/v1/identity-keys", admit: admit, handle: { await answers.answer($0, list) }),
      Route(
        .post, "/v1/identity-keys", bodyLimit: Limits.bodyBytes, body: .json(), admit: admit,
        handle: { await answers.answer($0, add) }),
      Route(.delete, "/v1/identity-keys/{key_id}", admit: admit, handle: { await answers.answer($0, revoke) }),
    ]
  }

  private var admit: @Sendable (RequestHead, PathParameters) -> Response? {
    { head, _ in answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) } }
  }

  /// `GET /v1/identity-keys`
  private func list(_ request: Request) async throws(Problem) -> Response {
    let principal = try await gate.principal(of: try gate.serverKey(request.head), needing: .identityKeysWrite)
    try Gate.authorise(principal, .readIdentityKeys)
    try QueryReader.refuseAny(request.head)
    let keys = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await environments.keys(of: .number(principal.environment), deadline: deadline)
    }
    return .json(200, IdentityKeyJSON.list(keys ?? []))
  }

  /// `POST /v1/identity-keys`: a repeated call has the first answer.
  private func add(_ request: Request) async throws(Problem) -> Response {
    let administrator = try await gate.administrator(
      request, needing: .identityKeysWrite, to: .identityKeyAdded, on: AuditTarget(.identityKey, nil))
    try QueryReader.refuseAny(request.head)
    let body = try IdentityKeyReader.read(try request.object())
    let target = AuditTarget(.identityKey, body.id.text)
    let key: P256PublicKey
    do {
      key = try P256PublicKey(spkiPEM: body.pem)
    } catch {
      throw await gate.refused(administrator, on: target, found: error.found.rawValue, Problem(error))
    }
    let registration = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await environments.addKey(
        body.id, spki: key.spki, to: .number(administrator.environment), by: administrator.call, deadline: deadline)
    }
    switch registration {
    case nil: throw .notFound
    case .added(let key):
      gate.observe(.administered(.identityKeyAdded, refusal: nil))
      return .json(201, IdentityKeyJSON.key(key))
    case .present(let key): return .json(200, IdentityKeyJSON.key(key))
    case .idTaken: throw await gate.refused(administrator, on: target, .identityKeyIDTaken)
    case .keyTaken(let other):
      throw await gate.refused(administrator, on: target, .identityKeyTaken(by: other))
    case .tooMany: throw await gate.refused(administrator, on: target, .tooManyIdentityKeys)
    }
  }

  /// `DELETE /v1/identity-keys/{key_id}`: revoked at once, and for ever.
  private func revoke(_ request: Request) async throws(Problem) -> Response {
    // Of a refused call the id stays out of the log: it may be any text.
    let administrator = try await gate.administrator(
      request, needing: .identityKeysWrite, to: .identityKeyRevoked, on: AuditTarget(.identityKey, nil))
    try QueryReader.refuseAny(request.head)
    guard let id = IdentityKeyID(request.parameters["key_id"]) else { throw .notFound }
    let key = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await environments.revokeKey(
        id, of: .number(administrator.environment), by: administrator.call, deadline: deadline)
    }
    guard let key else { throw .notFound }
    gate.observe(.administered(.identityKeyRevoked, refusal: nil))
    return .json(200, IdentityKeyJSON.key(key))
  }
}

extension Problem {
  /// What was pasted in place of a public key, in a sentence; nothing of it.
  fileprivate init(_ error: KeyError) {
    self.init(
      .bodyInvalid, "1 field is invalid.", fields: [.init(.pointer("/public_key"), .badFormat, error.message)])
  }

  fileprivate static var identityKeyIDTaken: Problem {
    Problem(.identityKeyExists, "Another key has or had this id. Give the new key an id of its own.")
  }

  fileprivate static func identityKeyTaken(by id: IdentityKeyID) -> Problem {
    Problem(.identityKeyExists, "The key is or was registered as \(id). Make a new pair.")
  }

  fileprivate static var tooManyIdentityKeys: Problem {
    Problem(
      .bodyInvalid, "1 field is invalid.",
      fields: [
        .init(
          .pointer("/key_id"), .tooMany,
          "The environment has \(Limits.identityKeys) keys. Revoke those that sign nothing any more.")
      ])
  }
}
