package import FoundationEssentials

/// Builds the bytes of a document from front to back, without a tree in between. The caller keeps the order of JSON
/// (a key before each member's value); commas are set here.
package struct JSONWriter {
  /// What was written.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// An empty document, with room for about `capacity` bytes.
  package init(capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  /// `{`
  package mutating func beginObject() { open(UInt8(ascii: "{")) }
  /// `}`
  package mutating func endObject() { close(UInt8(ascii: "}")) }
  /// `[`
  package mutating func beginArray() { open(UInt8(ascii: "[")) }
  /// `]`
  package mutating func endArray() { close(UInt8(ascii: "]")) }

  /// The name of the next value.
  package mutating func key(_ name: String) {
    separate()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// `null`
  package mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
    needsComma = true
  }

  /// A string.
  package mutating func value(_ text: String) {
    separate()
    quote(text)
    needsComma = true
  }

  /// An integer.
  package mutating func value(_ number: Int64) {
    separate()
    decimal(number)
    needsComma = true
  }

  /// An integer.
  package mutating func value(_ number: Int) { value(Int64(number)) }

  /// The shortest decimal that reads back as the same double; `null` for what JSON can't say (NaN, infinity).
  package mutating func value(_ number: Double) {
    guard number.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: number.description.utf8)
    needsComma = true
  }

  /// `true` or `false`
  package mutating func value(_ flag: Bool) {
    separate()
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    needsComma = true
  }

  /// An id, in lower case.
  package mutating func value(_ id: UUID) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    UUIDText.append(id, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// An instant in microseconds since 1970, as RFC 3339 in UTC.
  package mutating func timestamp(_ microseconds: Int64) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    RFC3339.append(microseconds, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// One whole value that is JSON already.
  package mutating func raw(_ json: [UInt8]) {
    separate()
    bytes.append(contentsOf: json)
    needsComma = true
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func decimal(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    let plain: Void? = text.utf8.withContiguousStorageIfAvailable { JSONEscape.append($0, to: &bytes) }
    if plain == nil { Array(text.utf8).withUnsafeBufferPointer { JSONEscape.append($0, to: &bytes) } }
    bytes.append(UInt8(ascii: "\""))
  }
}
