/// In what portions a node tells endpoints of events. Small on purpose: deliveries go first.
package struct WebhookConfiguration: Sendable {
  /// Endpoints that are worked for at a time. One that doesn't answer holds up one of these, for a turn.
  package var workers = 8
  /// Requests to one endpoint at a time; those about one message come one after the other.
  package var lanes = 4
  /// Events of one turn.
  package var batch: Int32 = 100
  package var retriesPerTurn: Int32 = 50
  /// After so long a turn begins no more requests.
  package var turn: Duration = .seconds(5)
  /// Events that get their number together.
  package var numberedAtOnce: Int32 = 1_000
  /// How often an idle node looks for events without a number, and for endpoints with something to do.
  package var numberInterval: Duration = .milliseconds(250)
  package var workInterval: Duration = .seconds(1)
  package var leaseSeconds: Int32 = 60
  package var retry = WebhookRetryPolicy()
  /// The first rest of an endpoint that took nothing in a whole turn; doubles.
  package var restMilliseconds: Int64 = 1_000

  package init() {}

  /// How long a request may take: the lease has to outlast it.
  package var requestTimeout: Duration { .seconds(min(15, max(2, Int(leaseSeconds) / 2))) }
}
