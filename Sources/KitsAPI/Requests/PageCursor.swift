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

  /// Base64url of the length and id of the key, the position, and the MAC.
  ///
  /// - Parameter list: what is listed, for whom and by which filters.
  func write(_ position: UUID, for list: String) throws(Problem) -> String {
    let keyID = Array(keys.mintingID.utf8)
    guard keyID.count <= Self.longestKeyID, let mac = mac(keys.mintingID, position, list) else {
      throw .internalFault("No cursor can be made under the minting key.")
    }
    return Base64URL.encode([UInt8(keyID.count)] + keyID + bytes(position) + mac)
  }

  /// nil unless it was written here for the same list.
  func read(_ text: String, for list: String) -> UUID? {
    guard let bytes = Base64URL.decode(text), let keyCount = bytes.first.map(Int.init),
      bytes.count == 1 + keyCount + Self.idCount + Self.macCount
    else { return nil }
    let keyID = String(decoding: bytes[1...].prefix(keyCount), as: UTF8.self)
    let idBytes = Array(bytes[(1 + keyCount)...].prefix(Self.idCount))
    let position = idBytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    guard let mac = mac(keyID, position, list), ConstantTime.equal(mac, Array(bytes.suffix(Self.macCount))) else {
      return nil
    }
    return position
  }

  private func mac(_ keyID: String, _ position: UUID, _ list: String) -> [UInt8]? {
    guard let key = keys.key(.cursor, id: keyID) else { return nil }
    let message = Array("\(list) \(position.uuidString.lowercased())".utf8)
    // The key is 32 derived bytes; only an empty one is refused.
    return (try? HMACSHA256.authenticate(message, key: key)).map { Array($0.prefix(Self.macCount)) }
  }

  private func bytes(_ uuid: UUID) -> [UInt8] {
    withUnsafeBytes(of: uuid.uuid) { Array($0) }
  }
}
