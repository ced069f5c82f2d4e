package import Crypto
internal import FoundationEssentials
package import KitsCore

/// `kits_dt_…`: the credential of one installation. It carries what the statements need, under a MAC, so that a forged
/// one is refused without asking the database; only the generation is compared there.
package struct DeviceToken: Sendable, Equatable {
  package let app: AppNumber
  package let installation: InstallationNumber
  package let id: InstallationID
  package let platform: Platform
  package let generation: Int32
  /// The master key under which it was minted.
  package let keyID: String

  private static let prefix = "kits_dt_"
  private static let version: UInt8 = 1
  /// 128 bits: 2^127 guesses, and each costs a request.
  private static let macBytes = 16
  private static let longest = 512

  package init(
    app: AppNumber, installation: InstallationNumber, id: InstallationID, platform: Platform, generation: Int32,
    keyID: String
  ) {
    self.app = app
    self.installation = installation
    self.id = id
    self.platform = platform
    self.generation = generation
    self.keyID = keyID
  }

  /// nil unless the text was minted under a master key of the ring. Nothing is read from it before its MAC is right,
  /// except which key to check it with.
  package init?(_ text: String, ring: KeyRing) {
    guard text.utf8.count <= Self.longest, text.utf8.starts(with: Self.prefix.utf8),
      let bytes = Base64URL.decode(String(text.dropFirst(Self.prefix.count))), bytes.count > Self.macBytes
    else { return nil }
    let payload = Array(bytes.dropLast(Self.macBytes))
    guard let keyID = Self.keyID(of: payload), let key = ring.deviceTokenKey(id: keyID),
      ConstantTime.equal(
        Array(bytes.suffix(Self.macBytes)), Array(key.authenticate(payload).prefix(Self.macBytes)))
    else { return nil }
    self.init(payload: payload, keyID: keyID)
  }

  /// The text, under the minting key of the ring, whatever `keyID` says.
  package func minted(by ring: KeyRing) throws(CryptoError) -> String {
    guard let key = ring.deviceTokenKey(id: ring.mintingID) else { throw .emptyKey }
    let payload = payload(keyID: ring.mintingID)
    let mac = key.authenticate(payload)
    return Self.prefix + Base64URL.encode(payload + mac.prefix(Self.macBytes))
  }

  /// Version, length and text of the key's id, then the fields at fixed widths, big-endian.
  private func payload(keyID: String) -> [UInt8] {
    var bytes: [UInt8] = [Self.version, UInt8(clamping: keyID.utf8.count)]
    bytes += keyID.utf8
    bytes += Self.bigEndian(app.value)
    bytes += Self.bigEndian(installation.value)
    bytes += withUnsafeBytes(of: id.uuid.uuid) { Array($0) }
    bytes.append(UInt8(platform.rawValue))
    bytes += Self.bigEndian(generation)
    return bytes
  }

  private static func keyID(of payload: [UInt8]) -> String? {
    guard payload.count > 2, payload[0] == version, payload.count == 2 + Int(payload[1]) + fieldBytes else {
      return nil
    }
    return String(validating: payload[2..<2 + Int(payload[1])], as: UTF8.self)
  }

  private static let fieldBytes = 8 + 8 + 16 + 1 + 4

  private init?(payload: [UInt8], keyID: String) {
    var rest = payload.dropFirst(2 + keyID.utf8.count)
    func take(_ count: Int) -> ArraySlice<UInt8> {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    let app = AppNumber(Self.integer(take(8)))
    let installation = InstallationNumber(Self.integer(take(8)))
    let id = InstallationID(take(16).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    guard let platform = Platform(rawValue: Self.integer(take(1))) else { return nil }
    self.init(
      app: app, installation: installation, id: id, platform: platform, generation: Self.integer(take(4)),
      keyID: keyID)
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  private static func integer<Value: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> Value {
    bytes.reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
  }
}

extension DeviceToken {
  /// The credential of an installation as it is now.
  package static func mint(for installation: Installation, ring: KeyRing) throws(CryptoError) -> String {
    try DeviceToken(
      app: installation.appNumber, installation: installation.number, id: installation.id,
      platform: installation.platform, generation: installation.generation, keyID: ring.mintingID
    ).minted(by: ring)
  }
}
