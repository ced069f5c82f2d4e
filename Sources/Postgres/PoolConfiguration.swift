/// How to reach PostgreSQL and what the pool may use. Every wait has its limit here.
package struct PoolConfiguration: Sendable {
  /// A libpq URL or keyword string.
  package var url: String
  package var applicationName = "kits"
  /// Connections at most, opened when first needed.
  package var size = 8
  /// Callers that may wait for a connection; one more is `overloaded`.
  package var maxWaiters = 1024
  package var waitTimeout: Duration = .seconds(5)
  package var connectTimeout: Duration = .seconds(5)
  /// For every statement whose caller names no deadline of its own.
  package var statementTimeout: Duration = .seconds(10)
  /// How long a cancelled statement may take to say so before its connection is closed.
  package var cancelGrace: Duration = .seconds(1)
  /// After a failed connect, how long callers fail at once without another try: doubles from the first to the
  /// second.
  package var backOff: (first: Duration, most: Duration) = (.milliseconds(20), .milliseconds(500))
  /// Set once per connection. The check interval ends statements of a client that has died.
  package var settings: [(name: String, value: String)] = [
    ("client_connection_check_interval", "5s"), ("idle_in_transaction_session_timeout", "30s"), ("jit", "off"),
    ("timezone", "UTC"),
  ]

  package init(url: String) { self.url = url }
}
