/// The result of a command, in the three forms it can be printed: aligned text, one JSON object, one field.
struct Report: Sendable, Equatable {
  enum Value: Sendable, Equatable {
    case string(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case null
    case list([Value])
    case object([Field])
    /// Things with the same fields: a table for people, a list of objects for scripts.
    case table(columns: [String], rows: [[Value]])
  }

  struct Field: Sendable, Equatable {
    let name: String
    let value: Value

    init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// In the order in which they are shown.
  let fields: [Field]

  init(_ fields: [(String, Value)]) {
    self.fields = fields.map { Field($0.0, $0.1) }
  }

  static func table(_ name: String, columns: [String], rows: [[Value]]) -> Report {
    Report([(name, .table(columns: columns, rows: rows))])
  }
}

extension Report.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(booleanLiteral value: Bool) { self = .flag(value) }
}
