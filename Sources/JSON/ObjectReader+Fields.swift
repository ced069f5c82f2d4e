package import FoundationEssentials

extension ObjectReader {
  /// A member of a merge patch, read by `read`; a member that doesn't fit is a fault and counts as absent.
  package func field<T>(_ name: String, _ read: (ElementReader) -> T?) -> Field<T> {
    guard let member = member(name) else { return .absent }
    if member.isNull { return .null }
    return read(member).map { .value($0) } ?? .absent
  }

  /// In a merge patch: a string of so many UTF-8 bytes.
  package func stringField(_ name: String, bytes: ClosedRange<Int>, refuseControls: Bool = false) -> Field<String> {
    field(name) { $0.string(bytes: bytes, refuseControls: refuseControls) }
  }

  /// In a merge patch: `true` or `false`.
  package func boolField(_ name: String) -> Field<Bool> {
    field(name) { $0.bool() }
  }

  /// In a merge patch: an integer.
  package func integerField(_ name: String, in range: ClosedRange<Int64>) -> Field<Int64> {
    field(name) { $0.integer(in: range) }
  }

  /// In a merge patch: a number.
  package func numberField(_ name: String, in range: ClosedRange<Double>) -> Field<Double> {
    field(name) { $0.number(in: range) }
  }

  /// In a merge patch: an id.
  package func uuidField(_ name: String) -> Field<UUID> {
    field(name) { $0.uuid() }
  }

  /// In a merge patch: one of the given strings, compared by bytes.
  package func choiceField<T>(_ name: String, _ options: [String: T]) -> Field<T> {
    field(name) { $0.choice(options) }
  }

  /// In a merge patch: an RFC 3339 date-time as microseconds since 1970.
  package func timestampField(_ name: String) -> Field<Int64> {
    field(name) { $0.timestamp() }
  }

  /// In a merge patch: an object.
  package func objectField(_ name: String) -> Field<ObjectReader> {
    field(name) { $0.object() }
  }

  /// In a merge patch: an array of so many elements.
  package func arrayField(_ name: String, count: ClosedRange<Int>) -> Field<[ElementReader]> {
    field(name) { $0.array(count: count) }
  }
}
