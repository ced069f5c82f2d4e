internal import HTTPServer
internal import KitsCore
internal import KitsStore

/// Checks the signature of every request that comes with a credential of an SDK (T2). It is put before all routes at
/// once, so no route can forget it; which credential a route goes by doesn't matter, because each one that a request
/// brings must be satisfied.
struct SignatureCheck: Sendable {
  let gate: Gate
  let policies: SigningPolicies
  let answers: Answers

  /// `GET /v1/sdk/config`: a device whose clock is wrong must be able to learn the time. `POST /v1/receipts`: the
  /// extension that calls it has no secret, and its token is good for one delivery alone.
  static let exempt: Set<String> = ["GET /v1/sdk/config", "POST /v1/receipts"]

  static func isExempt(_ route: Route) -> Bool { exempt.contains("\(route.method.rawValue) \(route.pattern)") }

  /// What can be told without the body and without the database: no signature where this node knows that there must be
  /// one, or something that is none.
  func admit(_ head: RequestHead) throws(Problem) {
    let text = try header(head)
    for place in places(head) {
      guard let reading = policies.known(place), reading.policy.mode != .off else { continue }
      switch text {
      case nil where reading.policy.mode == .required: throw refuse(.absent, reading.now)
      case let text? where RequestSignature(text) == nil: throw refuse(.malformed, reading.now)
      default: continue
      }
    }
  }

  /// The whole check, once the body is there.
  func check(_ request: Request) async throws(Problem) {
    let places = places(request.head)
    guard !places.isEmpty else { return }
    let text = try header(request.head)
    let content = SignedContent(request)
    for place in places {
      // Without an app the route itself says what is wrong with the credential.
      guard let reading = try await policies.current(place),
        let fault = reading.policy.judge(text, content, now: reading.now)
      else { continue }
      guard fault != .absent, fault != .malformed else { throw refuse(fault, reading.now) }
      // Perhaps the secret was replaced a moment ago.
      guard let renewed = try await policies.renewed(place) else { continue }
      if let fault = renewed.policy.judge(text, content, now: renewed.now) { throw refuse(fault, renewed.now) }
    }
  }

  /// Two signatures, or a list of them, which some proxy may have made of two.
  private func header(_ head: RequestHead) throws(Problem) -> String? {
    let values = head.headers.all(RequestSignature.header)
    guard values.count <= 1, values.first?.utf8.contains(UInt8(ascii: ",")) != true else {
      throw Problem(.badRequest, "The header \(RequestSignature.header) is there more than once.")
    }
    return values.first
  }

  /// A credential that isn't one is for the route to refuse.
  private func places(_ head: RequestHead) -> [SigningPolicies.Place] {
    var places: [SigningPolicies.Place] = []
    if case .device(let token)? = try? gate.caller(head) { places.append(.app(token.app)) }
    if let key = try? gate.publicKey(head) { places.append(.publicKey(key.text)) }
    return places
  }

  /// The same answer whatever is wrong, with the time: mostly it is the clock.
  private func refuse(_ fault: SignatureFault, _ now: Timestamp) -> Problem {
    answers.observe(.signatureRefused(fault))
    var problem = Problem(
      .signatureInvalid, "The signature is missing or not valid. Sign again by the time of server_time.")
    problem.members = [(name: "server_time", json: now.jsonText)]
    return problem
  }
}

extension SigningPolicies {
  /// Reads from the database and opens the secrets.
  convenience init(_ store: SigningStore, _ opener: SigningSecretOpener) {
    self.init(source: { (place) async throws(Problem) in
      let record = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
        switch place {
        case .app(let app): try await store.read(app: app, deadline: deadline)
        case .publicKey(let key): try await store.read(publicKey: key, deadline: deadline)
        }
      }
      guard let record else { return nil }
      return Reading(policy: try opener.policy(record), now: record.now)
    })
  }
}
