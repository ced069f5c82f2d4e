internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// What an SDK needs to start, known by its public key alone (K1, K2).
struct ConfigHandlers: Sendable {
  private let access: AccessStore
  private let gate: Gate
  private let answers: Answers
  private let receiptsURL: String

  init(_ surroundings: Surroundings) {
    access = surroundings.access
    gate = surroundings.gate
    answers = surroundings.answers
    receiptsURL = surroundings.publicURL + "/v1/receipts"
  }

  var routes: [Route] {
    [
      Route(
        .get, "/v1/sdk/config",
        admit: { head, _ in
          answers.admit(head) { () throws(Problem) in
            _ = try gate.publicKey(head)
            try QueryReader.refuseAny(head)
          }
        },
        handle: { await answers.answer($0, read) })
    ]
  }

  private func read(_ request: Request) async throws(Problem) -> Response {
    let key = try gate.publicKey(request.head)
    let found = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await access.app(publicKey: key.text, deadline: deadline)
    }
    guard let found else { throw .unknownPublicKey }
    return .json(200, ConfigJSON.write(found.app, now: found.now, receiptsURL: receiptsURL))
  }
}
