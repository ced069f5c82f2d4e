import Crypto
import KitsAPI
import KitsCore
import KitsStore

@testable import KitsAPI

/// What an SDK does to sign a request, written apart from the code that checks it.
struct Signer: Sendable {
  var token: String
  var secret: [UInt8]
  var bucketSeconds: Int64 = 300

  /// The bytes under the MAC, as docs/request-signing.md says.
  func message(_ method: String, _ target: String, _ body: [UInt8], window: Int64) -> String {
    "v1\n\(token)\n\(window)\n\(method)\n\(target)\n\(Hex.encode(SHA256.hash(body)))"
  }

  func mac(_ method: String, _ target: String, _ body: [UInt8] = [], at seconds: Int64) throws -> [UInt8] {
    let message = message(method, target, body, window: seconds / bucketSeconds)
    return try HMACSHA256.authenticate(Array(message.utf8), key: secret)
  }

  func header(_ method: String, _ target: String, _ body: [UInt8] = [], at seconds: Int64) throws -> String {
    "v1:\(token):\(seconds):\(Hex.encode(try mac(method, target, body, at: seconds)))"
  }
}

extension Tenant {
  static func call(_ action: AuditAction) -> AuditedCall { AuditedCall(actor: .commandLine, action: action) }

  var signing: SigningStore { SigningStore(pool: running.pool) }

  /// Gives the app a secret, the next one.
  @discardableResult
  func addSigningSecret(_ number: Int32 = 1) async throws -> Signer {
    let secret = SigningSecret.generate()
    let sealed = try secret.sealed(for: app, number: number, ring: running.keys)
    let isStored =
      number == 1
      ? try await signing.create(sealed, for: app, of: nil, by: Self.call(.signingSecretCreated))
      : try await signing.rotate(to: sealed, for: app, of: nil, by: Self.call(.signingSecretRotated))
    guard isStored else { throw NotStored() }
    return Signer(token: publicKey.text, secret: secret.bytes)
  }

  struct NotStored: Error {}

  func setSigning(_ mode: SigningMode, bucketSeconds: Int32? = nil) async throws {
    _ = try await signing.change(
      app, of: nil, mode: mode, bucketSeconds: bucketSeconds, by: Self.call(.signingModeChanged))
  }
}
