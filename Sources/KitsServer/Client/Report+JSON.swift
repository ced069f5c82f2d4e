internal import JSON

extension Report {
  /// An answer of the API as it is.
  init(_ object: JSONObject) {
    self.init(object.members.map { ($0.key, Value($0.value)) })
  }
}

extension Report.Value {
  init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .flag(flag)
    case .integer(let number): self = .integer(Int(number))
    case .real(let number): self = .number(number)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .list(elements.map(Report.Value.init))
    case .object(let members): self = .object(members.members.map { Report.Field($0.key, Report.Value($0.value)) })
    }
  }
}
