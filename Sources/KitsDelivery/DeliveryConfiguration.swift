package import KitsCore

/// How fast and in what portions a node delivers.
package struct DeliveryConfiguration: Sendable {
  /// How many chunks a node works on at once.
  package var lanes = 2
  /// Deliveries that a lane declares before it hands them over.
  package var window: Int32 = 75
  /// Windows of a lane that are under way at once: one is sent while another is written.
  package var windowsUnderWay: Int32 = 2
  /// Messages with one recipient that are taken together.
  package var singlesWindow: Int32 = 100
  /// How long a chunk stays with a node that says nothing.
  package var leaseSeconds: Int32 = 60
  /// Sending stops this long before the lease ends, so that a slow clock or a slow ack doesn't overlap the next owner.
  package var leaseMarginSeconds: Int32 = 5
  /// How old what is known of a recipient may be when its delivery is handed over: who is bound to the device, whether
  /// it wants pushes. What has waited for longer is looked at again.
  package var rowSeconds: Int32 = 5
  /// Recipients looked up in one transaction.
  package var planPage: Int32 = 10_000
  /// Installations looked at in one transaction, so that a sparse audience can't make it long: to begin with, and at
  /// most. In between the time that pages take decides.
  package var planScanWindow: Int64 = 20_000
  package var planScanWindowAtMost: Int64 = 1_000_000
  /// How long the first page of an audience may look at everything, which is short when an index tells who matches.
  package var planWholeLimit: Duration = .milliseconds(150)
  /// How often an idle node looks for work that other nodes made.
  package var pollInterval: Duration = .milliseconds(250)
  package var sweepInterval: Duration = .seconds(1)
  package var housekeepingInterval: Duration = .seconds(600)
  /// How often a node asks whether it is its turn to remove what is too old.
  package var retentionInterval: Duration = .seconds(600)
  package var retentionRules = RetentionRules(days: 30)
  package var retriesPerClaim: Int32 = 100
  package var retry = RetryPolicy()
  package var breaker = BreakerPolicy()
  /// How long a node goes without reading a message again: what an operator mends, like the key, is used after it.
  package var messageTrust: Duration = .seconds(30)

  package init() {}

  /// How long after a claim or an ack was begun what it declared may be handed over.
  package var handOverTime: Duration { .seconds(min(leaseSeconds - leaseMarginSeconds, rowSeconds)) }

  var declaredPerLane: Int32 { window * windowsUnderWay }

  /// What a crash leaves unknown at most.
  var declaredAtMost: Int32 { Int32(lanes) * declaredPerLane + singlesWindow + retriesPerClaim }
}
