internal import Crypto
internal import HTTPServer
internal import KitsCore
internal import KitsStore

/// Installations: registered with the public key, kept up to date with their own device token, read and deleted by the
/// customer's backend too.
struct InstallationHandlers: Sendable {
  let installations: InstallationStore
  /// Knows a server key and the app that a query names in one question.
  let messages: MessageStore
  let keys: KeyRing
  let gate: Gate
  let answers: Answers
  let cursors: PageCursor
  /// Milliseconds since 1970.
  let now: @Sendable () -> Int64

  init(_ surroundings: Surroundings) {
    installations = surroundings.installations
    messages = surroundings.messages
    keys = surroundings.keys
    gate = surroundings.gate
    answers = surroundings.answers
    cursors = PageCursor(keys: surroundings.keys)
    now = surroundings.now
  }

  private static let collection = "/v1/installations"
  private static let single = "/v1/installations/{id}"
  private static let patchTypes = ["application/json", "application/merge-patch+json"]

  static func path(_ id: InstallationID) -> String { "\(collection)/\(id.text)" }

  var routes: [Route] {
    [
      Route(
        .post, Self.collection, bodyLimit: Limits.bodyBytes, body: .json(), admit: admitRegistration,
        handle: { await answers.answer($0, register) }),
      Route(.get, Self.collection, admit: admitBackend, handle: { await answers.answer($0, list) }),
      Route(.get, Self.single, admit: admitEither, handle: { await answers.answer($0, read) }),
      Route(
        .patch, Self.single, bodyLimit: Limits.bodyBytes, body: .json(accepting: Self.patchTypes), admit: admitOwn,
        handle: { await answers.answer($0, update) }),
      Route(.delete, Self.single, admit: admitEither, handle: { await answers.answer($0, delete) }),
    ]
  }

  @Sendable private func admitRegistration(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      _ = try gate.publicKey(head)
      try QueryReader.refuseAny(head)
      _ = try IdempotencyKey.uuid(head)
    }
  }

  @Sendable private func admitOwn(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      try Self.require(gate.deviceToken(head), owns: parameters)
      try QueryReader.refuseAny(head)
    }
  }

  @Sendable private func admitEither(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      if case .device(let token) = try gate.caller(head) { try Self.require(token, owns: parameters) }
      try QueryReader.refuseAny(head)
    }
  }

  @Sendable private func admitBackend(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) }
  }

  /// A device token is good for the installation that it names; to it no other one exists.
  static func require(_ token: DeviceToken, owns parameters: PathParameters) throws(Problem) {
    guard InstallationID(parsing: parameters["id"]) == token.id else { throw .notFound }
  }
}
