/// A field of a log line.
enum LogValue: Sendable, Equatable {
  case string(String)
  case integer(Int)
  case number(Double)
  case flag(Bool)
  case list([String])

  /// A secret stays one, whatever it wraps.
  init<Value>(_: Secret<Value>) {
    self = .string("<redacted>")
  }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(booleanLiteral value: Bool) { self = .flag(value) }
}
