internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore
internal import KitsStore

extension SigningHandlers {
  /// `GET /v1/apps/{id}/signing/secret`: written down each time.
  func reveal(_ request: Request) async throws(Problem) -> Response {
    let (administrator, app) = try await admitted(request, to: .signingSecretRevealed)
    let record = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await signing.reveal(app, of: administrator.environment, by: administrator.call, deadline: deadline)
    }
    guard let record, let current = record.current else { throw .notFound }
    gate.observe(.administered(administrator.call.action, refusal: nil))
    let previous = try record.previous.map { (sealed) throws(Problem) in (sealed, try open(sealed, record)) }
    return .json(200, SigningJSON.revealed(record, (current, try open(current, record)), previous))
  }

  /// `POST /v1/apps/{id}/signing/secret`
  func create(_ request: Request) async throws(Problem) -> Response {
    let (administrator, app) = try await admitted(request, to: .signingSecretCreated)
    if !request.body.isEmpty {
      let faults = FaultCollector()
      ObjectReader(try request.object(), into: faults).refuseUnknown()
      if let problem = Problem(faults) { throw problem }
    }
    let record = try await state(of: app, administrator.environment)
    let (secret, new) = try seal(for: app, number: 1)
    let isCreated = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await signing.create(
        new, for: app, of: administrator.environment, by: administrator.call, deadline: deadline)
    }
    guard isCreated else {
      throw await refused(
        administrator, app,
        Problem(.signingSecretChanged, "The app has a secret already. Rotate it to have another one."))
    }
    settled(administrator)
    return .json(201, SigningJSON.created(record, number: new.number, secret))
  }

  /// `POST /v1/apps/{id}/signing/secret/rotate`
  func rotate(_ request: Request) async throws(Problem) -> Response {
    let (administrator, app) = try await admitted(request, to: .signingSecretRotated)
    let faults = FaultCollector()
    let reader = ObjectReader(try request.object(), into: faults)
    let number = reader.requiredInteger("secret_no", in: 1...Int64(Int32.max - 1))
    reader.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
    guard let number else { throw .internalFault("a number was neither read nor refused") }
    let record = try await state(of: app, administrator.environment)
    let (secret, new) = try seal(for: app, number: Int32(number) + 1)
    let isRotated = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await signing.rotate(
        to: new, for: app, of: administrator.environment, by: administrator.call, deadline: deadline)
    }
    guard isRotated else {
      throw await refused(
        administrator, app,
        Problem(.signingSecretChanged, "The current secret has another number. Nothing was changed."))
    }
    settled(administrator)
    return .json(200, SigningJSON.created(record, number: new.number, secret))
  }

  /// `DELETE /v1/apps/{id}/signing/secret/previous`
  func revokePrevious(_ request: Request) async throws(Problem) -> Response {
    let (administrator, app) = try await admitted(request, to: .signingSecretRevoked)
    let isRevoked = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await signing.revokePrevious(
        of: app, of: administrator.environment, by: administrator.call, deadline: deadline)
    }
    guard isRevoked else { throw .notFound }
    settled(administrator)
    return .noContent
  }

  private func seal(for app: AppID, number: Int32) throws(Problem) -> (SigningSecret, NewSigningSecret) {
    let secret = SigningSecret.generate()
    do {
      return (secret, try secret.sealed(for: app, number: number, ring: keys))
    } catch {
      throw .internalFault("a signing secret can't be sealed: \(error)")
    }
  }

  private func open(_ sealed: SealedSigningSecret, _ record: SigningRecord) throws(Problem) -> SigningSecret {
    do {
      return try SigningSecret.open(sealed, of: record.app, ring: keys)
    } catch {
      throw .internalFault(
        "signing secret \(sealed.number) of app \(record.app) can't be opened under \(sealed.sealedUnder)")
    }
  }
}
