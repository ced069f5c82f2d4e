internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// Tags of an installation's user, and the keys that they have (K7).
struct TagHandlers: Sendable {
  let installations: InstallationStore
  /// Knows a server key and the app that a query names in one question.
  let messages: MessageStore
  let gate: Gate
  let answers: Answers
  let cursors: PageCursor

  init(_ surroundings: Surroundings) {
    installations = surroundings.installations
    messages = surroundings.messages
    gate = surroundings.gate
    answers = surroundings.answers
    cursors = PageCursor(keys: surroundings.keys)
  }

  private static let patchTypes = ["application/json", "application/merge-patch+json"]

  var routes: [Route] {
    [
      Route(
        .patch, "/v1/installations/{id}/tags", bodyLimit: Limits.bodyBytes, body: .json(accepting: Self.patchTypes),
        admit: admitOwn, handle: { await answers.answer($0, change) }),
      Route(.get, "/v1/tag-keys", admit: admitBackend, handle: { await answers.answer($0, list) }),
    ]
  }

  @Sendable private func admitOwn(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in
      try InstallationHandlers.require(gate.deviceToken(head), owns: parameters)
      try QueryReader.refuseAny(head)
    }
  }

  @Sendable private func admitBackend(_ head: RequestHead, _ parameters: PathParameters) -> Response? {
    answers.admit(head) { () throws(Problem) in _ = try gate.serverKey(head) }
  }

  /// `PATCH /v1/installations/{id}/tags`
  func change(_ request: Request) async throws(Problem) -> Response {
    let token = try gate.deviceToken(request.head)
    let body = try TagBody(try request.object())
    let change = TagChange(
      app: token.app, installation: token.installation, generation: token.generation,
      expectedBinding: body.expectedBinding, values: body.values, removed: body.removed)
    // A second change of the same leaves the same tags.
    let answer = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.change(change, deadline: deadline)
    }
    switch answer {
    case .tags(let tags): return .json(200, Self.json(tags, of: body.expectedBinding))
    case .bindingChanged(let binding): throw .bindingChanged(binding)
    case .collectionOff: throw .collectionOff("users")
    case .tooMany: throw .tags(.tooMany, "The installation would have more than \(Limits.tags) tags.")
    case .tooLarge:
      throw .tags(.tooLong, "Keys and values of the installation would be more than \(Limits.tagsBytes) bytes.")
    case .tokenInvalid: throw .endedDeviceToken
    }
  }

  /// `Tags` of the contract.
  private static func json(_ tags: [String: String], of binding: BindingID) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("binding_id", binding)
    json.key("tags")
    json.tags(tags)
    json.endObject()
    return json
  }
}

extension Problem {
  /// The answer tells the binding, so that whoever is told needn't ask.
  static func bindingChanged(_ binding: BindingState) -> Problem {
    var problem = Problem(.bindingChanged, "The installation has another binding by now. Nothing was changed.")
    problem.members = [("binding", IdentityJSON.binding(binding))]
    return problem
  }

  fileprivate static func tags(_ code: KitsError.FieldCode, _ detail: String) -> Problem {
    Problem(.bodyInvalid, "1 field is invalid.", fields: [KitsError.FieldFault(.pointer("/set"), code, detail)])
  }
}
