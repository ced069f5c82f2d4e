/// Comparing strings by their bytes. Swift's `==` on `String` is canonical equivalence ("é" in one and in two scalars
/// are equal, KELVIN SIGN equals "K"), while PostgreSQL and every other party compare bytes.
enum UTF8Bytes {
  static func equal(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8)
  }

  static func less(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}
