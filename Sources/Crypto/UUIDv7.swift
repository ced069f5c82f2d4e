package import FoundationEssentials
import Synchronization

/// Version 7 ids (RFC 9562): milliseconds, then a counter within them, then 62 random bits. Ids made by one process
/// sort in the order in which they were made, so that the rows of a table grow at its end.
package enum UUIDv7 {
  /// Milliseconds ≪ 12 | counter of the id made last. Every caller reads and writes it, by compare-and-exchange.
  private static let last = Atomic<UInt64>(0)
  /// How far ids may run ahead of the clock (a burst, or a clock set back a little) before the order is given up for
  /// the right time.
  private static let longestLeadMilliseconds: UInt64 = 1000
  private static let counterBits: UInt64 = 12

  /// A new id for an instant given in milliseconds since 1970.
  package static func make(now milliseconds: Int64) -> UUID {
    let stamp = next(UInt64(clamping: milliseconds) & 0xFFFF_FFFF_FFFF)
    var bytes = SystemRandom.bytes(16)
    let time = stamp >> counterBits
    for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: time >> UInt64(40 - 8 * index)) }
    bytes[6] = 0x70 | UInt8(truncatingIfNeeded: stamp >> 8) & 0x0F
    bytes[7] = UInt8(truncatingIfNeeded: stamp)
    bytes[8] = 0x80 | bytes[8] & 0x3F
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private static func next(_ milliseconds: UInt64) -> UInt64 {
    var seen = last.load(ordering: .relaxed)
    while true {
      let lastTime = seen >> counterBits
      let isAhead = lastTime >= milliseconds && lastTime - milliseconds <= longestLeadMilliseconds
      let wanted = isAhead ? seen + 1 : milliseconds << counterBits
      let (exchanged, original) = last.weakCompareExchange(expected: seen, desired: wanted, ordering: .relaxed)
      if exchanged { return wanted }
      seen = original
    }
  }
}
