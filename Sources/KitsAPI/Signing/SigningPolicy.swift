internal import Crypto
internal import KitsCore

/// What an app wants of its SDK requests' signatures, and the rule that decides. Pure: the time is an argument.
struct SigningPolicy: Sendable {
  let mode: SigningMode
  let bucketSeconds: Int64
  /// The public key of the app.
  let appToken: [UInt8]
  /// The current secret, and the one before.
  let current: Secret?
  let previous: Secret?

  struct Secret: Sendable {
    let key: HMACKey
    /// The first moment at which it isn't good any more.
    let goodUntil: Timestamp?
  }

  /// Windows on either side of the server's that are taken.
  private static let neighbours: Int64 = 1

  /// - Parameters:
  ///   - text: the header's value.
  ///   - now: by the database's clock.
  /// - Returns: nil when the request may go on.
  func judge(_ text: String?, _ content: SignedContent, now: Timestamp) -> SignatureFault? {
    guard mode != .off else { return nil }
    guard let text else { return mode == .required ? .absent : nil }
    guard let signature = RequestSignature(text) else { return .malformed }
    let window = RequestSignature.window(of: signature.seconds, bucketSeconds)
    let message = content.message(appToken: signature.appToken, window: window)
    // Everything is computed before anything is decided: an app that doesn't exist takes the time of one that does.
    let isGenuine = verifies(signature.mac, message, now: now)
    guard ConstantTime.equal(signature.appToken, appToken) else { return .foreignToken }
    let distance = window - RequestSignature.window(of: now.seconds, bucketSeconds)
    guard (-Self.neighbours...Self.neighbours).contains(distance) else { return .window }
    return isGenuine ? nil : .mac
  }

  /// Both secrets are always tried, whatever the first one says.
  private func verifies(_ mac: [UInt8], _ message: [UInt8], now: Timestamp) -> Bool {
    let byCurrent = Self.verifies(mac, message, current, now)
    let byPrevious = Self.verifies(mac, message, previous, now)
    return byCurrent || byPrevious
  }

  /// An absent or outdated secret costs the same and verifies nothing.
  private static func verifies(_ mac: [UInt8], _ message: [UInt8], _ secret: Secret?, _ now: Timestamp) -> Bool {
    let isRight = (secret?.key ?? stranger).verify(mac, message: message)
    guard let secret else { return false }
    return isRight && secret.goodUntil.map { now < $0 } ?? true
  }

  /// A key that nobody knows, in place of a secret that isn't there.
  private static let stranger: HMACKey = {
    guard let key = try? HMACKey(SystemRandom.bytes(SHA256.count)) else {
      preconditionFailure("OpenSSL can't make an HMAC key of 32 bytes")
    }
    return key
  }()
}
