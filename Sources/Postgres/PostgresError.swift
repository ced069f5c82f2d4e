/// What can go wrong between us and PostgreSQL, told apart by what the caller may conclude about his statement.
/// No case ever holds a parameter's value.
package enum PostgresError: Error, Sendable, Equatable {
  /// No connection, or lost before anything could be applied. Nothing happened; the same call may succeed later.
  case unavailable(String)
  /// The connection broke after a statement had been sent: it may have been applied or not.
  case outcomeUnknown(String)
  /// The deadline passed and the statement was surely not applied (never sent, or its cancellation was confirmed).
  case deadline
  /// The calling task was cancelled and the statement was surely not applied.
  case cancelled
  /// A bounded queue (of the pool or of a batcher) is full. Nothing happened.
  case overloaded
  /// PostgreSQL refused the statement; nothing of it was applied.
  case server(ServerError)
  /// A column isn't what the statement's `decode` expected. A bug: the statement may have been applied.
  case decode(String)
  /// A parameter that PostgreSQL can't store (U+0000 in a text). Nothing was sent. `index` counts from 1 like `$1`.
  case parameter(index: Int, String)
  /// The code that works for a batch threw something that isn't a PostgresError; holds the error's type.
  case batch(String)

  package var server: ServerError? {
    if case .server(let error) = self { return error }
    return nil
  }

  package var sqlState: String? { server?.sqlState }
  package var constraint: String? { server?.constraint }

  /// Deadlock or serialization failure: PostgreSQL asks to repeat.
  package var asksToRepeat: Bool { sqlState == "40P01" || sqlState == "40001" }

  /// A value was refused (by us, or class 22 data, class 23 constraint), so another row of the same batch may be
  /// fine.
  package var blamesValue: Bool {
    if case .parameter = self { return true }
    guard let sqlState else { return false }
    return sqlState.hasPrefix("22") || sqlState.hasPrefix("23")
  }
}
