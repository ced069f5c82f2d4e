import CNghttp2

/// Frames on their way into TLS. nghttp2 hands out one frame at a time; gathered here, hundreds of answers leave in
/// one record and one system call.
final class OutputBuffer {
  private static let capacity = 64 * 1_024
  /// Room that must be left for the largest frame: 16 KB and its header.
  private static let frame = 16_384 + 9

  private let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
  private var first = 0
  private var end = 0

  deinit { memory.deallocate() }

  var isEmpty: Bool { first == end }
  var count: Int { end - first }
  var start: UnsafeMutableRawPointer { memory + first }

  func consume(_ bytes: Int) {
    first += bytes
    if first == end {
      first = 0
      end = 0
    }
  }

  /// Takes frames from the session until it has none or the buffer is full. A part left by a write that stopped half
  /// way goes out first.
  func fill(from session: OpaquePointer) {
    guard first == 0 else { return }
    while end + Self.frame <= Self.capacity {
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      guard count > 0, let bytes else { return }
      (memory + end).copyMemory(from: bytes, byteCount: count)
      end += count
    }
  }
}
