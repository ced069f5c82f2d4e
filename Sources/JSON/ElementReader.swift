package import FoundationEssentials

/// Reads one value (an array's element or an object's member) and knows its place. What doesn't fit is added to the
/// collector, and nil is returned.
package struct ElementReader {
  /// Where the value stands in what contains it; the pointer is only spelled out for a fault.
  enum Place {
    case here
    case member(String)
    case element(Int)
  }

  /// The value as it was parsed.
  package let value: JSONValue
  private let base: String
  private let place: Place
  private let faults: FaultCollector

  /// Reads `value`, which stands at `pointer`.
  package init(_ value: JSONValue, at pointer: String = "", into faults: FaultCollector) {
    self.init(value, base: pointer, place: .here, faults: faults)
  }

  init(_ value: JSONValue, base: String, place: Place, faults: FaultCollector) {
    self.value = value
    self.base = base
    self.place = place
    self.faults = faults
  }

  /// The JSON pointer of the value.
  package var pointer: String {
    switch place {
    case .here: base
    case .member(let name): JSONPointer.child(base, name)
    case .element(let index): JSONPointer.child(base, index)
    }
  }

  /// Whether the value is null.
  package var isNull: Bool { value.isNull }

  /// A string of so many UTF-8 bytes. `refuseControls` also refuses the C0 and C1 control characters and DEL; U+0000 is
  /// always refused.
  package func string(bytes: ClosedRange<Int>, refuseControls: Bool = false) -> String? {
    guard case .string(let text) = value else { return wrong("a string") }
    let count = text.utf8.count
    if count < bytes.lowerBound {
      return refuse(.tooShort, count == 0 ? "It must not be empty." : "It must have \(bytes.lowerBound) bytes or more.")
    }
    if count > bytes.upperBound { return refuse(.tooLong, "It must have at most \(bytes.upperBound) bytes of UTF-8.") }
    if text.utf8.contains(0) { return refuse(.badFormat, "It must not contain U+0000.") }
    if refuseControls, UTF8Bytes.hasControl(text) {
      return refuse(.badFormat, "It must not contain control characters.")
    }
    return text
  }

  /// `true` or `false`.
  package func bool() -> Bool? {
    guard case .bool(let flag) = value else { return wrong("true or false") }
    return flag
  }

  /// An integer, written as one: `1.0` and `1e0` are reals.
  package func integer(in range: ClosedRange<Int64>) -> Int64? {
    guard case .integer(let number) = value else { return wrong("an integer") }
    return limited(number, range)
  }

  /// A number, written as an integer or a real.
  package func number(in range: ClosedRange<Double>) -> Double? {
    switch value {
    case .integer(let number): limited(Double(number), range)
    case .real(let number): limited(number, range)
    default: wrong("a number")
    }
  }

  /// An id of 8-4-4-4-12 hex digits.
  package func uuid() -> UUID? {
    guard case .string(let text) = value else { return wrong("a string with a UUID") }
    return UUIDText.parse(text) ?? refuse(.badFormat, "It must be a UUID: 8-4-4-4-12 hex digits.")
  }

  /// One of the given strings, compared by bytes.
  package func choice<T>(_ options: [String: T]) -> T? {
    guard case .string(let text) = value else { return wrong("a string") }
    // Dictionary lookup knows canonical equivalence; the bytes decide.
    if let index = options.index(forKey: text), UTF8Bytes.equal(options[index].key, text) {
      return options[index].value
    }
    return refuse(.notAllowed, "It must be one of: \(options.keys.sorted().joined(separator: ", ")).")
  }

  /// An RFC 3339 date-time, as microseconds since 1970.
  package func timestamp() -> Int64? {
    guard case .string(let text) = value else { return wrong("a string with a date-time") }
    return RFC3339.parse(text)
      ?? refuse(.badFormat, "It must be an RFC 3339 date-time, like 2030-01-31T12:00:00Z.")
  }

  /// An object.
  package func object() -> ObjectReader? {
    guard case .object = value else { return wrong("an object") }
    return ObjectReader(value, at: pointer, into: faults)
  }

  /// An array of so many elements.
  package func array(count: ClosedRange<Int>) -> [ElementReader]? {
    guard case .array(let elements) = value else { return wrong("an array") }
    if elements.count < count.lowerBound {
      return refuse(.tooFew, "It must have \(count.lowerBound) elements or more.")
    }
    if elements.count > count.upperBound {
      return refuse(.tooMany, "It must have at most \(count.upperBound) elements.")
    }
    let base = pointer
    return elements.enumerated().map { ElementReader($1, base: base, place: .element($0), faults: faults) }
  }

  /// Adds a fault about this value; returns nil so that a reader can end with it.
  package func refuse<T>(_ code: JSONFault.Code, _ detail: String) -> T? {
    faults.add(pointer, code, detail)
    return nil
  }

  /// Adds a fault about this value.
  package func refuse(_ code: JSONFault.Code, _ detail: String) {
    faults.add(pointer, code, detail)
  }

  private func wrong<T>(_ expected: String) -> T? {
    isNull ? refuse(.nullNotAllowed, "It must not be null.") : refuse(.wrongType, "It must be \(expected).")
  }

  private func limited<N: Comparable>(_ number: N, _ range: ClosedRange<N>) -> N? {
    if number < range.lowerBound { return refuse(.tooSmall, "It must be \(range.lowerBound) or more.") }
    if number > range.upperBound { return refuse(.tooLarge, "It must be \(range.upperBound) or less.") }
    return number
  }
}
