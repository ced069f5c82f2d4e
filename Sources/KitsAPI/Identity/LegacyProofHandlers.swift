internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

/// The older proofs of identity, for backends that don't sign tokens yet (K25). Deprecated: a token needs no call.
struct LegacyProofHandlers: Sendable {
  private let identities: IdentityStore
  private let keys: KeyRing
  private let gate: Gate
  private let answers: Answers
  private let now: @Sendable () -> Int64

  init(_ surroundings: Surroundings) {
    identities = surroundings.identities
    keys = surroundings.keys
    gate = surroundings.gate
    answers = surroundings.answers
    now = surroundings.now
  }

  /// Since when it is deprecated (RFC 9745: 2026-11-30T00:00:00Z), and when it may go (RFC 8594).
  private static let notice: [(name: String, value: String)] = [
    ("Deprecation", "@1795996800"), ("Sunset", "Tue, 30 Nov 2027 00:00:00 GMT"),
  ]

  var routes: [Route] {
    [
      Route(
        .post, "/v1/identity-tokens", bodyLimit: Limits.bodyBytes, body: .json(),
        admit: { head, _ in
          answers.admit(head) { () throws(Problem) in
            _ = try gate.serverKey(head)
            try QueryReader.refuseAny(head)
          }
        },
        handle: { request in
          var response = await answers.answer(request, issue)
          for (name, value) in Self.notice { response.headers.set(name, value) }
          return response
        })
    ]
  }

  /// `POST /v1/identity-tokens`
  private func issue(_ request: Request) async throws(Problem) -> Response {
    let principal = try await gate.principal(of: try gate.serverKey(request.head), needing: .identityWrite)
    let body = try LegacyProofRequest(try request.object())
    // Proofs for other tenants' installations are not for this key to make.
    _ = try await identities.view(of: body.installation, in: principal.environment)
    let issuedAt = now() / 1_000
    let proof = LegacyProof(
      installation: body.installation, binding: body.change.expectedBinding, operation: body.change.operation,
      externalID: body.externalID, issuedAt: issuedAt, expiresAt: issuedAt + body.ttlSeconds)
    let text: String
    do {
      text = try proof.minted(by: keys)
    } catch {
      throw .internalFault("an identity proof can't be minted: \(error)")
    }
    return .json(200, IdentityJSON.proof(text, expiresAt: Timestamp(microseconds: proof.expiresAt * 1_000_000)))
  }
}
