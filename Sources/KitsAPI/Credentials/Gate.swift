internal import Crypto
internal import HTTPServer
internal import KitsCore
internal import KitsStore

/// Who calls: reads the credential from the head and checks all of it that needs no database, so that it can be done
/// before the body is read. What is kept in the database (revoked, deleted) is checked by the statements.
struct Gate: Sendable {
  let access: AccessStore
  let audit: AuditStore
  let keys: KeyRing
  let observe: @Sendable (APIEvent) -> Void

  private static let publicKeyHeader = "X-Kits-Public-Key"
  private static let scheme = "Bearer "

  /// Of routes that take either.
  enum Caller: Sendable {
    case device(DeviceToken)
    case server(ServerKeySecret)
  }

  func publicKey(_ head: RequestHead) throws(Problem) -> PublicKey {
    guard let text = try only(Self.publicKeyHeader, of: head) else {
      throw Problem(.credentialMissing, "This needs the header \(Self.publicKeyHeader).")
    }
    guard let key = PublicKey(text) else { throw .unknownPublicKey }
    return key
  }

  func deviceToken(_ head: RequestHead) throws(Problem) -> DeviceToken {
    guard let token = DeviceToken(try bearer(head), ring: keys) else { throw .endedDeviceToken }
    return token
  }

  func serverKey(_ head: RequestHead) throws(Problem) -> ServerKeySecret {
    guard let key = ServerKeySecret(try bearer(head)) else { throw .unknownServerKey }
    return key
  }

  /// A bearer that starts like a server key is one; any other is a device token.
  func caller(_ head: RequestHead) throws(Problem) -> Caller {
    if try bearer(head).utf8.starts(with: ServerKeySecret.prefix.utf8) { return .server(try serverKey(head)) }
    return .device(try deviceToken(head))
  }

  /// Asks the database, every time: a revoked key is refused at once.
  func principal(of key: ServerKeySecret) async throws(Problem) -> ServerKeyPrincipal {
    let principal = try await asking(repeatingIsHarmless: true) { (deadline) async throws(StoreError) in
      try await access.authenticate(serverKeyHash: key.hash, deadline: deadline)
    }
    guard let principal else { throw .unknownServerKey }
    return principal
  }

  func principal(of key: ServerKeySecret, needing scope: Scope) async throws(Problem) -> ServerKeyPrincipal {
    let principal = try await principal(of: key)
    try Self.require(scope, of: principal)
    return principal
  }

  static func require(_ scope: Scope, of principal: ServerKeyPrincipal) throws(Problem) {
    guard principal.scopes.contains(scope) else {
      throw Problem(.scopeMissing, "This needs the scope \(scope.rawValue).")
    }
  }

  private func bearer(_ head: RequestHead) throws(Problem) -> String {
    guard let value = try only("Authorization", of: head), value.utf8.count > Self.scheme.utf8.count,
      value.prefix(Self.scheme.count).lowercased() == Self.scheme.lowercased()
    else { throw Problem(.credentialMissing, "This needs the header Authorization: Bearer.") }
    return String(value.dropFirst(Self.scheme.count))
  }

  /// Two credentials in one request: which one counts depends on who reads, so neither does.
  private func only(_ name: String, of head: RequestHead) throws(Problem) -> String? {
    let values = head.headers.all(name)
    guard values.count <= 1 else { throw Problem(.badRequest, "The header \(name) is there more than once.") }
    return values.first
  }
}

extension Problem {
  static var unknownPublicKey: Problem { Problem(.publicKeyInvalid, "No app has this public key.") }
  static var unknownServerKey: Problem { Problem(.serverKeyInvalid, "This is no server key, or it was revoked.") }

  static var endedDeviceToken: Problem {
    Problem(.deviceTokenInvalid, "This is no device token, or its installation is gone.")
  }

  static var notFound: Problem { Problem(.notFound, "There is no such object for this credential.") }
}
