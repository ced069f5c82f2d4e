internal import FoundationEssentials
internal import KitsCore

/// A place in the feed as a position of `PageCursor`: the number in the last eight bytes.
enum FeedCursor {
  static func position(_ number: Int64) -> UUID {
    var bytes = [UInt8](repeating: 0, count: 16)
    withUnsafeBytes(of: number.bigEndian) { bytes.replaceSubrange(8..., with: $0) }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  static func number(_ position: UUID) -> Int64 {
    withUnsafeBytes(of: position.uuid) { Int64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: Int64.self)) }
  }
}
