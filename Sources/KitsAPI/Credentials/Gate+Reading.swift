internal import KitsCore
internal import KitsStore

extension Gate {
  /// Who reads a list, and the app that its query names or that is the only one: one question. An app that the caller
  /// doesn't have is 404.
  func reader(
    _ secret: ServerKeySecret, app: AppID?, needing scope: Scope, knowing messages: MessageStore,
    _ query: inout QueryReader
  ) async throws(Problem) -> CreationRequest.Admission {
    let reading = CreationRequest(serverKeyHash: secret.hash, app: app, idempotencyKeyHash: nil)
    let admission = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await messages.admit(reading, deadline: deadline)
    }
    guard let admission else { throw .unknownServerKey }
    try Self.require(scope, of: admission.key)
    // What is wrong with the query is told to a caller who may ask.
    try query.finish()
    if app != nil, admission.app == nil { throw .unknownApp(.parameter("app_id")) }
    return admission
  }
}
