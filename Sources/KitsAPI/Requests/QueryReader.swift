internal import FoundationEssentials
internal import HTTPServer
internal import JSON
internal import KitsCore

/// Reads a query strictly: a parameter that is unknown, repeated or malformed refuses the request, and all of them are
/// named at once. Read every parameter, then call `finish`.
struct QueryReader {
  private var values: [String: String] = [:]
  private var faults: [KitsError.FieldFault] = []
  private static let longestEchoedName = 64

  init(_ head: RequestHead, allowed: Set<String>) {
    for (name, value) in head.query {
      if !allowed.contains(name) {
        refuse(Self.echo(name), .unknownField, "There is no such parameter.")
      } else if values.updateValue(value, forKey: name) != nil {
        refuse(name, .duplicate, "The parameter is there more than once.")
      }
    }
  }

  /// For routes that take no parameters.
  static func refuseAny(_ head: RequestHead) throws(Problem) {
    guard !head.query.isEmpty else { return }
    try QueryReader(head, allowed: []).finish()
  }

  func finish() throws(Problem) {
    guard !faults.isEmpty else { return }
    throw Problem(.queryInvalid, "The query has wrong parameters.", fields: faults)
  }

  func text(_ name: String) -> String? { values[name] }

  mutating func refuse(_ name: String, _ code: KitsError.FieldCode, _ detail: String) {
    faults.append(KitsError.FieldFault(.parameter(name), code, detail))
  }

  mutating func uuid(_ name: String) -> UUID? {
    guard let text = values[name] else { return nil }
    guard let uuid = UUIDText.parse(text) else {
      refuse(name, .badFormat, "It must be a UUID: 8-4-4-4-12 hex digits.")
      return nil
    }
    return uuid
  }

  /// Decimal digits without sign or leading zeros.
  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let text = values[name] else { return nil }
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(text),
      String(number) == text
    else {
      refuse(name, .badFormat, "It must be an integer.")
      return nil
    }
    if number < range.lowerBound { refuse(name, .tooSmall, "It must be \(range.lowerBound) or more.") }
    if number > range.upperBound { refuse(name, .tooLarge, "It must be \(range.upperBound) or less.") }
    return range.contains(number) ? number : nil
  }

  mutating func choice<Value>(_ name: String, _ options: [String: Value]) -> Value? {
    guard let text = values[name] else { return nil }
    guard let value = options[text] else {
      refuse(name, .notAllowed, "It must be one of: \(options.keys.sorted().joined(separator: ", ")).")
      return nil
    }
    return value
  }

  /// A name that a client made up is repeated only when it is short and plain.
  private static func echo(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return isPlain && name.utf8.count <= longestEchoedName ? name : ""
  }
}
