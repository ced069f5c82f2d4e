/// Comparing strings by their bytes. Swift's `==` on `String` is canonical equivalence ("é" in one and in two scalars
/// are equal, KELVIN SIGN equals "K"), while PostgreSQL and every other party compare bytes.
enum UTF8Bytes {
  static func equal(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    let areEqual = a.utf8.withContiguousStorageIfAvailable { a in
      b.utf8.withContiguousStorageIfAvailable { b in a.elementsEqual(b) }
    }
    return (areEqual ?? nil) ?? a.utf8.elementsEqual(b.utf8)
  }

  /// Whether there is a C0 or C1 control character or DEL. In UTF-8 C1 is C2 followed by 80 to 9F.
  static func hasControl(_ text: String) -> Bool {
    var previous: UInt8 = 0
    for byte in text.utf8 {
      if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
      previous = byte
    }
    return false
  }

  static func less(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}
