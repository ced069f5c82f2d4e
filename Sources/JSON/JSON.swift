/// Strict JSON: what is accepted here means the same to every other reader. Refused are duplicate names, byte 0 and
/// U+0000, invalid UTF-8, lone surrogates, a byte order mark, anything after the value, integers beyond 64 bits and
/// reals that a double would change.
package enum JSON {
  /// How deep arrays and objects nest unless the caller says otherwise.
  package static let defaultDepth = 32
  /// How deep a caller may let them nest: values are copied, written and freed level by level on the caller's stack.
  package static let deepest = 512

  /// Reads one whole document of any type that nests at most `maxDepth` (and at most `deepest`) levels.
  package static func parse(_ bytes: [UInt8], maxDepth: Int = defaultDepth) throws(JSONSyntaxError) -> JSONValue {
    try JSONPrescan.check(bytes, maxDepth: min(maxDepth, deepest))
    return try JanssonTree.load(bytes)
  }

  /// Compact UTF-8; only what must be escaped is.
  package static func write(_ value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(value)
    return writer.bytes
  }

  /// Like `write`, with the members of every object sorted by the bytes of their names: one text for all orders of the
  /// same members, for hashing and comparing.
  package static func canonical(_ value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.canonical(value)
    return writer.bytes
  }
}
