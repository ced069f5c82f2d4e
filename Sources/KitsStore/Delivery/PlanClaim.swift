package import KitsCore
import Postgres

/// A message whose recipients this node is looking up.
package struct PlanClaim: Sendable, Equatable {
  package let app: AppNumber
  package let message: MessageNumber
  package let epoch: Int32
  package let source: Source

  /// Where its recipients come from.
  package enum Source: Sendable, Equatable {
    /// The list that was resolved when the message was created.
    case named
    /// The whole table.
    case everyone
    /// Those of the table that match.
    case audience(PlanAudience)
    /// Nowhere: the message was refused with the claim.
    case refused(MessageRefusal.Reason)
  }
}

/// Whom a message is for, fixed when its planning started: every page, whichever node makes it, asks the same question
/// about the same moment.
package struct PlanAudience: Sendable, Equatable {
  package let filter: Filter
  /// What ages are measured from.
  package let at: Timestamp
  /// The newest installation that counts.
  package let upto: Int64
  /// Only marked devices are asked.
  package let isForTestDevices: Bool
  /// Nothing of it is planned yet.
  package let isUntouched: Bool
}

/// A claim before it is known whom it is about.
struct ClaimedPlan: Sendable {
  let app: AppNumber
  let message: MessageNumber
  let id: MessageID
  let epoch: Int32
  let kind: MessageTargetKind
  /// It has a filter, segments or exclusions.
  let hasAudience: Bool

  func claim(_ source: PlanClaim.Source) -> PlanClaim {
    PlanClaim(app: app, message: message, epoch: epoch, source: source)
  }
}

/// Takes the oldest unplanned message that nobody is planning, for 30 seconds; each page renews it.
struct ClaimPlan: Statement {
  let owner: Int64

  static let sql = """
    WITH c AS MATERIALIZED (
      SELECT m.app_no, m.message_no
      FROM message m
      WHERE NOT m.plan_done AND m.plan_lease_until < now() AND m.state IN (1, 2)
      ORDER BY m.plan_lease_until, m.message_no
      LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE message m
    SET plan_owner = $1,
      plan_epoch = m.plan_epoch + 1,
      plan_lease_until = now() + interval '30 seconds'
    FROM c
    WHERE m.app_no = c.app_no AND m.message_no = c.message_no
    RETURNING m.app_no, m.message_no, m.message_id, m.plan_epoch, m.target_kind,
      EXISTS (SELECT FROM message_audience t WHERE t.app_no = m.app_no AND t.message_id = m.message_id)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(owner)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ClaimedPlan {
    ClaimedPlan(
      app: AppNumber(try row.int64()), message: MessageNumber(try row.int64()), id: MessageID(try row.uuid()),
      epoch: try row.int32(), kind: try row.known(MessageTargetKind.self), hasAudience: try row.bool())
  }
}

/// How far planning is after a page.
package struct PlanProgress: Sendable, Equatable {
  package let isDone: Bool
  package let planned: Int64
  package let chunks: Int32
  /// Why that was the end of the message.
  package let refusal: MessageRefusal.Reason?

  init(isDone: Bool, planned: Int64, chunks: Int32, refusal: MessageRefusal.Reason? = nil) {
    self.isDone = isDone
    self.planned = planned
    self.chunks = chunks
    self.refusal = refusal
  }
}
