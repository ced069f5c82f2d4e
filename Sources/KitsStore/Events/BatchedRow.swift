import Postgres

/// A row of a statement that takes many requests, each with many items, and answers every item.
enum BatchedRow<Answer: Sendable>: Sendable {
  /// Rows come in the order of the items.
  case answer(request: Int, Answer)
  /// A request without items, whose installation is there.
  case nothing
  /// The installation is gone, or the token isn't its current one.
  case gone(request: Int)
  /// The installation is locked elsewhere.
  case busy(request: Int)

  /// Reads request, item, answer, whether it is busy, whether it is gone.
  static func decode(
    _ row: inout RowReader, _ answer: (Int16) -> Answer?
  ) throws(PostgresError) -> BatchedRow<Answer> {
    let request = Int(try row.int32())
    let item = try row.int64OrNil()
    let status = try row.int16OrNil()
    let isBusy = try row.bool()
    let isGone = try row.bool()
    if isBusy { return .busy(request: request) }
    if isGone { return .gone(request: request) }
    guard item != nil, let status else { return .nothing }
    guard let answer = answer(status) else { throw .decode("answer \(status) is unknown") }
    return .answer(request: request, answer)
  }

  /// What each of `count` requests is answered.
  static func gather(_ rows: [BatchedRow<Answer>], count: Int) -> [Gathered<Answer>] {
    var gathered = [Gathered<Answer>](repeating: .answers([]), count: count)
    for row in rows {
      switch row {
      case .answer(let request, let answer): gathered[request].append(answer)
      case .nothing: break
      case .gone(let request): gathered[request] = .gone
      case .busy(let request): gathered[request] = .busy
      }
    }
    return gathered
  }
}

/// The answers of one request.
enum Gathered<Answer: Sendable>: Sendable {
  case answers([Answer])
  case gone
  case busy

  mutating func append(_ answer: Answer) {
    guard case .answers(var answers) = self else { return }
    // Not copied while it grows.
    self = .answers([])
    answers.append(answer)
    self = .answers(answers)
  }
}
