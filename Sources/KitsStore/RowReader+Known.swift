import Postgres

extension RowReader {
  /// A small integer column whose values an enum lists. Anything else means that the code is older than the data.
  mutating func known<Value: RawRepresentable>(_ type: Value.Type) throws(PostgresError) -> Value
  where Value.RawValue == Int16 {
    let raw = try int16()
    guard let value = Value(rawValue: raw) else {
      throw PostgresError.decode("\(type) has no value \(raw)")
    }
    return value
  }
}
