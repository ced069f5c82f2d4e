package import FoundationEssentials

extension ObjectReader {
  /// Optional: a string of so many UTF-8 bytes.
  package func string(_ name: String, bytes: ClosedRange<Int>, refuseControls: Bool = false, nullIsAbsent: Bool = false)
    -> String?
  {
    optionalMember(name, nullIsAbsent: nullIsAbsent)?.string(bytes: bytes, refuseControls: refuseControls)
  }

  /// Required: a string of so many UTF-8 bytes.
  package func requiredString(_ name: String, bytes: ClosedRange<Int>, refuseControls: Bool = false) -> String? {
    requiredMember(name)?.string(bytes: bytes, refuseControls: refuseControls)
  }

  /// Optional: `true` or `false`.
  package func bool(_ name: String, nullIsAbsent: Bool = false) -> Bool? {
    optionalMember(name, nullIsAbsent: nullIsAbsent)?.bool()
  }

  /// Required: `true` or `false`.
  package func requiredBool(_ name: String) -> Bool? {
    requiredMember(name)?.bool()
  }

  /// Optional: an integer.
  package func integer(_ name: String, in range: ClosedRange<Int64>, nullIsAbsent: Bool = false) -> Int64? {
    optionalMember(name, nullIsAbsent: nullIsAbsent)?.integer(in: range)
  }

  /// Required: an integer.
  package func requiredInteger(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
    requiredMember(name)?.integer(in: range)
  }

  /// Optional: a number.
  package func number(_ name: String, in range: ClosedRange<Double>, nullIsAbsent: Bool = false) -> Double? {
    optionalMember(name, nullIsAbsent: nullIsAbsent)?.number(in: range)
  }

  /// Required: a number.
  package func requiredNumber(_ name: String, in range: ClosedRange<Double>) -> Double? {
    requiredMember(name)?.number(in: range)
  }

  /// Optional: an id.
  package func uuid(_ name: String, nullIsAbsent: Bool = false) -> UUID? {
    optionalMember(name, nullIsAbsent: nullIsAbsent)?.uuid()
  }

  /// Required: an id.
  package func requiredUUID(_ name: String) -> UUID? {
    requiredMember(name)?.uuid()
  }

  /// Optional: one of the given strings, compared by bytes.
  package func choice<T>(_ name: String, _ options: [String: T], nullIsAbsent: Bool = false) -> T? {
    optionalMember(name, nullIsAbsent: nullIsAbsent)?.choice(options)
  }

  /// Required: one of the given strings, compared by bytes.
  package func requiredChoice<T>(_ name: String, _ options: [String: T]) -> T? {
    requiredMember(name)?.choice(options)
  }

  /// Optional: an RFC 3339 date-time as microseconds since 1970.
  package func timestamp(_ name: String, nullIsAbsent: Bool = false) -> Int64? {
    optionalMember(name, nullIsAbsent: nullIsAbsent)?.timestamp()
  }

  /// Required: an RFC 3339 date-time as microseconds since 1970.
  package func requiredTimestamp(_ name: String) -> Int64? {
    requiredMember(name)?.timestamp()
  }

  /// Optional: an object.
  package func object(_ name: String, nullIsAbsent: Bool = false) -> ObjectReader? {
    optionalMember(name, nullIsAbsent: nullIsAbsent)?.object()
  }

  /// Required: an object.
  package func requiredObject(_ name: String) -> ObjectReader? {
    requiredMember(name)?.object()
  }

  /// Optional: an array of so many elements.
  package func array(_ name: String, count: ClosedRange<Int>, nullIsAbsent: Bool = false) -> [ElementReader]? {
    optionalMember(name, nullIsAbsent: nullIsAbsent)?.array(count: count)
  }

  /// Required: an array of so many elements.
  package func requiredArray(_ name: String, count: ClosedRange<Int>) -> [ElementReader]? {
    requiredMember(name)?.array(count: count)
  }
}
