internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension InstallationHandlers {
  /// `POST /v1/installations`: the key alone decides whether this is a replay, whatever the body is.
  func register(_ request: Request) async throws(Problem) -> Response {
    let publicKey = try gate.publicKey(request.head)
    let key = try IdempotencyKey.uuid(request.head)
    let body = try request.object()
    let create: InstallationCreate
    do {
      create = try InstallationCreate(body)
    } catch {
      return try await replay(publicKey, key, orRefuse: error)
    }
    let registration = registration(create, publicKey, key)
    let answer = try await asking(repeatingIsHarmless: key != nil) { (deadline) async throws(StoreError) in
      try await installations.register(registration, deadline: deadline)
    }
    switch answer {
    case .registered(let installation): return try registered(installation, isReplay: false)
    // The store repeats a batch whose answer got lost: then the earlier call was this one.
    case .replayed(let installation):
      return try registered(installation, isReplay: installation.id != registration.id)
    case .unknownPublicKey: throw .unknownPublicKey
    case .platformNotInApp:
      throw Problem(
        .bodyInvalid, "1 field is invalid.",
        fields: [KitsError.FieldFault(.pointer("/platform"), .notAllowed, "The app doesn't have this platform.")])
    case .identifiersRefused(let refusal): throw Problem(refusal, of: create.state)
    case .deletedSince: throw Self.deletedSince
    }
  }

  private func registration(
    _ create: InstallationCreate, _ publicKey: PublicKey, _ key: IdempotencyKey?
  ) -> Registration {
    let milliseconds = now()
    return Registration(
      publicKey: publicKey.text, keyHash: key?.hash ?? SystemRandom.bytes(SHA256.count),
      id: InstallationID(UUIDv7.make(now: milliseconds)), bindingID: BindingID(UUIDv7.make(now: milliseconds)),
      platform: create.platform, state: create.state, stateRevision: create.stateRevision,
      stateHash: SHA256.hash(create.state.canonicalJSON))
  }

  /// The public key and the idempotency key come before the fields of the body.
  private func replay(
    _ publicKey: PublicKey, _ key: IdempotencyKey?, orRefuse problem: Problem
  ) async throws(Problem) -> Response {
    let earlier = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await installations.earlierRegistration(
        publicKey: publicKey.text, keyHash: key?.hash, deadline: deadline)
    }
    switch earlier {
    case .installation(let installation): return try registered(installation, isReplay: true)
    case .none: throw problem
    case .deletedSince: throw Self.deletedSince
    case .unknownPublicKey: throw .unknownPublicKey
    }
  }

  private func registered(_ installation: Installation, isReplay: Bool) throws(Problem) -> Response {
    var headers = [(name: "Location", value: Self.path(installation.id))]
    if isReplay { headers.append((name: "Idempotent-Replayed", value: "true")) }
    let token = try deviceToken(for: installation)
    answers.observe(.installationRegistered(replayed: isReplay))
    return .json(201, InstallationJSON.write(installation, deviceToken: token), headers: headers)
  }

  func deviceToken(for installation: Installation) throws(Problem) -> String {
    do {
      return try DeviceToken.mint(for: installation, ring: keys)
    } catch {
      throw .internalFault("a device token can't be minted: \(error)")
    }
  }

  private static var deletedSince: Problem {
    Problem(
      .idempotencyKeyReused, "The installation that this key registered was deleted. Register with a new key.")
  }
}
