internal import Crypto
internal import Glibc
internal import KitsCore

/// Makes a signer of identity tokens for one app: what a customer's backend hands to its own signed-in users so that
/// their devices can log in. It works locally, without a call to Kits.
///
/// ```swift
/// let signer = try createIdentityTokenSigner(appID: "…", keyID: "2026-08", privateKeyPEM: pem)
/// let signed = try signer.sign(externalID: user.id)
/// return Response(["token": signed.token])   // with Cache-Control: no-store
/// ```
///
/// - Parameters:
///   - appID: The id of the app, from `kits app create` (the `iss` of the tokens).
///   - keyID: Under which name the public half is registered (the `kid`), 1 to 64 bytes.
///   - privateKeyPEM: A P-256 private key in PKCS#8 PEM (`BEGIN PRIVATE KEY`).
///   - ttlSeconds: How long each token lives, 1 to 3,600.
/// - Throws: `IdentitySignerError` with a sentence that says which of them is wrong and never repeats the key.
public func createIdentityTokenSigner(
  appID: String, keyID: String, privateKeyPEM: String, ttlSeconds: Int = 300
) throws(IdentitySignerError) -> IdentityTokenSigner {
  try IdentityTokenSigner(appID: appID, keyID: keyID, privateKeyPEM: privateKeyPEM, ttlSeconds: ttlSeconds)
}

/// Signs identity tokens of one app with one key. Keep one and share it: any number of tasks may use it at once.
public struct IdentityTokenSigner: Sendable {
  private let key: P256PrivateKey
  private let ttlSeconds: Int64
  /// The header, encoded.
  private let header: String
  private let issuer: String

  init(appID: String, keyID: String, privateKeyPEM: String, ttlSeconds: Int) throws(IdentitySignerError) {
    guard let app = AppID(parsing: appID) else { throw .appIDInvalid }
    guard Limits.identityKeyIDBytes.contains(keyID.utf8.count), !keyID.utf8.contains(where: { $0 < 0x20 }) else {
      throw .keyIDInvalid
    }
    guard let ttl = Int64(exactly: ttlSeconds), Limits.identityTokenLifetimeSeconds.contains(ttl) else {
      throw .ttlInvalid
    }
    do { key = try P256PrivateKey(pkcs8PEM: privateKeyPEM) } catch { throw .privateKeyInvalid(error.message) }
    self.ttlSeconds = ttl
    issuer = app.text
    header = Self.encoded(#"{"alg":"ES256","kid":\#(Self.quoted(keyID)),"typ":"JWT"}"#)
  }

  /// A token for the user with this id, issued now.
  /// - Parameter externalID: The user's id in your system: 1 to 256 bytes of UTF-8, no control characters. Take it from
  ///   your own session, never from the request.
  public func sign(externalID: String) throws(IdentitySignerError) -> SignedIdentityToken {
    try sign(externalID: externalID, now: Int64(time(nil)))
  }

  /// - Parameter now: Seconds since 1970.
  package func sign(externalID: String, now: Int64) throws(IdentitySignerError) -> SignedIdentityToken {
    let id: ExternalID
    do { id = try ExternalID(checking: externalID) } catch { throw .externalIDInvalid(error.detail) }
    let (expiresAt, isBeyond) = now.addingReportingOverflow(ttlSeconds)
    guard !isBeyond else { throw .signingFailed }
    let claims = """
      {"iss":"\(issuer)","aud":"kits:identity","iat":\(now),"exp":\(expiresAt),\
      "identity":{"external_id":\(Self.quoted(id.text))}}
      """
    let signed = header + "." + Self.encoded(claims)
    do {
      let signature = try key.sign(Array(signed.utf8))
      return SignedIdentityToken(token: signed + "." + Base64URL.encode(signature), expiresAt: expiresAt)
    } catch {
      // OpenSSL is out of memory or broken: nothing that the caller could have done better.
      throw .signingFailed
    }
  }

  private static func encoded(_ json: String) -> String { Base64URL.encode(Array(json.utf8)) }

  /// A JSON string. Texts with control characters were refused before, so that two characters need an escape.
  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
    return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
  }
}

extension IdentityTokenSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the key.
  public var description: String { "<redacted>" }
  /// Never the key.
  public var debugDescription: String { "<redacted>" }
  /// Never the key.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
