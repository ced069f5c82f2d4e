package import FoundationEssentials

/// Something that only one request of a batch may touch, and only one batch at a time. `space` keeps kinds of keys
/// apart.
package enum BatchKey: Hashable, Sendable {
  case int(Int64, space: UInt8 = 0)
  case string(String, space: UInt8 = 0)
  case bytes([UInt8], space: UInt8 = 0)
  case uuid(UUID, space: UInt8 = 0)
}
