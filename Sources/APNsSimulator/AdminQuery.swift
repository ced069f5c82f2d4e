import HTTPServer

/// The query of an admin request.
final class AdminQuery {
  private let pairs: [(name: String, value: String)]
  /// The answer when a value did not fit.
  private(set) var refusal = AdminAnswer.refused(400, "bad query")

  init(_ request: Request) {
    pairs = request.head.query
  }

  subscript(name: String) -> String? {
    pairs.first { $0.name == name }?.value
  }

  /// `nil`: it is there and doesn't fit; `refusal` says so.
  func number(_ name: String, default standard: Int, in range: ClosedRange<Int>) -> Int? {
    guard let text = self[name] else { return standard }
    guard let number = Int(text), range.contains(number) else {
      refusal = AdminAnswer.refused(400, "\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }
}
