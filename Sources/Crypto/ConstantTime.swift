import COpenSSL

/// Comparing secrets. `==` stops at the first difference and so tells where it is.
package enum ConstantTime {
  /// Whether both are the same bytes; only the lengths may show in the time it takes.
  package static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
  }
}
