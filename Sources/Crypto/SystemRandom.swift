import COpenSSL

/// Unpredictable bytes.
package enum SystemRandom {
  /// `count` bytes from OpenSSL's generator, which the kernel seeds. Without entropy the process ends: a guessable
  /// secret is worse than none.
  package static func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "OpenSSL has no random bytes")
      written = count
    }
  }

  /// 64 unpredictable bits.
  package static func uint64() -> UInt64 {
    bytes(8).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
  }
}
