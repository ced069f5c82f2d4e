package import KitsCore
package import Postgres

/// What every store throws.
package typealias StoreError = PostgresError

/// What a client may conclude from a store's error: the one place that knows.
package struct StoreFault: Sendable, Equatable {
  package let code: KitsError.Code
  /// One sentence for the client.
  package let detail: String
  /// What really happened, for the operator. Holds no values.
  package let cause: String

  package init(_ error: PostgresError) {
    code = Self.code(of: error)
    detail = Self.detail(of: code)
    cause = String(describing: error)
  }

  private static func code(of error: PostgresError) -> KitsError.Code {
    switch error {
    case .unavailable: .databaseUnavailable
    case .outcomeUnknown: .outcomeUnknown
    case .overloaded, .deadline: .overloaded
    // Only the stop of the server cancels a request.
    case .cancelled: .shuttingDown
    case .server(let refusal): code(ofState: refusal.sqlState, constraint: refusal.constraint)
    case .decode, .parameter, .batch: .internalFault
    }
  }

  private static func code(ofState state: String, constraint: String?) -> KitsError.Code {
    if let constraint, let code = constraints[constraint] { return code }
    if states.overloaded.contains(state) { return .overloaded }
    if states.unavailable.contains(where: state.hasPrefix) { return .databaseUnavailable }
    return .internalFault
  }

  /// Constraints that a race can hit although the statement looked first.
  private static let constraints: [String: KitsError.Code] = [
    "idempotency_key_pkey": .idempotencyKeyReused,
    // A segment was deleted while a message that names it was created: the second try sees what the other one did.
    "message_segment_segment_fkey": .overloaded,
  ]

  /// SQLSTATEs that say something of the server, not of the statement: nothing was applied.
  private static let states: (overloaded: Set<String>, unavailable: [String]) = (
    // Serialization, deadlock, out of memory, too many connections, lock not available, statement timeout.
    ["40001", "40P01", "53200", "53300", "55P03", "57014"],
    // Connection, read-only (a standby), disk full, shutdown or start.
    ["08", "25006", "53100", "57P0"]
  )

  private static func detail(of code: KitsError.Code) -> String {
    switch code {
    case .databaseUnavailable: "The database can't be reached. Nothing was applied."
    case .outcomeUnknown: "The connection to the database broke. The request may have been applied or not."
    case .overloaded: "The server has too much to do. Nothing was applied."
    case .shuttingDown: "This server is stopping. Nothing was applied."
    case .idempotencyKeyReused: "The key was used by another request at the same time."
    default: "The server made a mistake. Its log has the request id."
    }
  }
}
