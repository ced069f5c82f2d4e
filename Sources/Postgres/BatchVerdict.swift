/// What to do with a whole batch that failed.
enum BatchVerdict: Equatable {
  /// PostgreSQL asked for it (deadlock, serialization failure).
  case again
  /// The connection broke when statements may have been applied: the same batch once more finds out.
  case replay
  /// Some value was refused: each request alone, so that only the bad one fails.
  case isolate
  case fail(PostgresError)

  /// `touched`: a statement of the batch was answered, or an earlier try was lost, so something may be applied.
  init(_ error: PostgresError, rows: Int, touched: Bool, repeats: Int, limits: BatchLimits) {
    switch error {
    case .outcomeUnknown: self = .replay
    case .unavailable where touched: self = .replay
    case .deadline where touched: self = .fail(.outcomeUnknown("the deadline passed between two statements"))
    case _ where error.asksToRepeat && repeats < limits.maxRepeats: self = .again
    case _ where error.blamesValue && rows > 1: self = .isolate
    default: self = .fail(error)
    }
  }
}
