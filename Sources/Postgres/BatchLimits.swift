/// What one batcher may hold. Beyond the queue's bounds a request is `overloaded` at once.
package struct BatchLimits: Sendable {
  package var maxBatchRows = 256
  package var maxBatchBytes = 4 << 20
  package var maxQueuedRows = 8192
  package var maxQueuedBytes = 64 << 20
  /// Requests that may wait for the same key.
  package var maxQueuedPerKey = 8
  /// The share of `maxQueuedRows` that one tenant may fill.
  package var tenantShare = 0.5
  /// How often a batch that met a deadlock or a serialization failure is repeated.
  package var maxRepeats = 8
  /// How long a batch that was lost with its connection is replayed before its requests are `outcomeUnknown`.
  package var replayWindow: Duration = .seconds(2)
  /// Pause before a busy request, or a replay that failed, comes again: doubles from the first to the second.
  package var pause: (first: Duration, most: Duration) = (.milliseconds(2), .milliseconds(100))

  package init() {}

  var maxQueuedPerTenant: Int { max(1, Int(Double(maxQueuedRows) * tenantShare)) }
}
