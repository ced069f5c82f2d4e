internal import Crypto
internal import FoundationEssentials

/// Where a page of a list ended, as text that a client hands back. The MAC binds it to the list it came from: a cursor
/// of another environment or of other filters, or a made-up one, reads as nothing.
struct PageCursor: Sendable {
  private let keys: KeyRing

  private static let idCount = 16
  private static let macCount = 16
  private static let longestKeyID = 255

  init(keys: KeyRing) {
    self.keys = keys
  }

  /// - Parameter list: what is listed, for whom and by which filters.
  func write(_ position: UUID, for list: String) throws(Problem) -> String {
    try seal(bytes(position), spelled: Self.spelling(position), for: list)
  }

  /// Where a list of names ended.
  func write(_ position: String, for list: String) throws(Problem) -> String {
    try seal(Array(position.utf8), spelled: position, for: list)
  }

  /// nil unless it was written here for the same list.
  func read(_ text: String, for list: String) -> UUID? {
    guard let sealed = Sealed(text, macCount: Self.macCount), sealed.position.count == Self.idCount else { return nil }
    let position = sealed.position.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    return isGenuine(sealed, Self.spelling(position), list) ? position : nil
  }

  /// nil unless it was written here for the same list.
  func readText(_ text: String, for list: String) -> String? {
    guard let sealed = Sealed(text, macCount: Self.macCount),
      let position = String(validating: sealed.position, as: UTF8.self)
    else { return nil }
    return isGenuine(sealed, position, list) ? position : nil
  }

  /// Base64url of the length and id of the key, the position, and the MAC.
  private func seal(_ position: [UInt8], spelled spelling: String, for list: String) throws(Problem) -> String {
    let keyID = Array(keys.mintingID.utf8)
    guard keyID.count <= Self.longestKeyID, let mac = mac(keys.mintingID, spelling, list) else {
      throw .internalFault("No cursor can be made under the minting key.")
    }
    return Base64URL.encode([UInt8(keyID.count)] + keyID + position + mac)
  }

  private func isGenuine(_ sealed: Sealed, _ spelling: String, _ list: String) -> Bool {
    guard let mac = mac(sealed.keyID, spelling, list) else { return false }
    return ConstantTime.equal(mac, sealed.mac)
  }

  private func mac(_ keyID: String, _ spelling: String, _ list: String) -> [UInt8]? {
    guard let key = keys.key(.cursor, id: keyID) else { return nil }
    // The key is 32 derived bytes; only an empty one is refused.
    return (try? HMACSHA256.authenticate(Array("\(list) \(spelling)".utf8), key: key)).map {
      Array($0.prefix(Self.macCount))
    }
  }

  private static func spelling(_ position: UUID) -> String { position.uuidString.lowercased() }

  private func bytes(_ uuid: UUID) -> [UInt8] {
    withUnsafeBytes(of: uuid.uuid) { Array($0) }
  }

  /// The parts of a cursor, before it is known whether they are ours.
  private struct Sealed {
    let keyID: String
    let position: [UInt8]
    let mac: [UInt8]

    init?(_ text: String, macCount: Int) {
      guard let bytes = Base64URL.decode(text), let keyCount = bytes.first.map(Int.init),
        bytes.count >= 1 + keyCount + macCount
      else { return nil }
      keyID = String(decoding: bytes[1...].prefix(keyCount), as: UTF8.self)
      position = Array(bytes[(1 + keyCount)...].dropLast(macCount))
      mac = Array(bytes.suffix(macCount))
    }
  }
}
