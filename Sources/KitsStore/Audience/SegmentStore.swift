package import KitsCore
package import Postgres

/// Segments, and how many an audience has.
package struct SegmentStore: Sendable {
  let pool: ConnectionPool
  let previews: PreviewSlots
  let exactLimit: Duration

  /// How long everyone of an audience may be counted; then a part is.
  package static let exactLimit: Duration = .milliseconds(2_500)

  /// How many audiences a node counts at a time.
  package static let previewsAtOnce = 2

  package init(
    pool: ConnectionPool, exactLimit: Duration = Self.exactLimit, previewsAtOnce: Int = Self.previewsAtOnce
  ) {
    self.pool = pool
    self.exactLimit = exactLimit
    previews = PreviewSlots(limit: previewsAtOnce)
  }

  /// What an earlier request with the same idempotency key created.
  package func earlier(
    app: AppNumber, keyHash: [UInt8], deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> EarlierSegment? {
    try await pool.first(FindEarlierSegment(app: app, keyHash: keyHash), deadline: deadline)
  }

  package func create(
    _ segment: NewSegment, call: AuditedCall, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> NewSegment.Answer {
    let answer = try await pool.first(CreateSegment(segment: segment, call: call), deadline: deadline)
    return answer ?? .cameSecond
  }

  package func read(
    environment: EnvironmentNumber, id: SegmentID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Segment? {
    try await pool.first(ReadSegment(environment: environment, id: id), deadline: deadline)
  }

  /// In the order in which they are asked for; those that the app doesn't have are left out.
  package func read(
    app: AppNumber, ids: [SegmentID], deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> [Segment] {
    let found = try await pool.run(ReadSegments(app: app, ids: ids), deadline: deadline)
    return ids.compactMap { id in found.first { $0.id == id } }
  }

  /// The newest first.
  package func list(
    environment: EnvironmentNumber, app: AppID?, before: SegmentID?, limit: Int32, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [Segment] {
    try await pool.run(
      ListSegments(environment: environment, app: app, before: before, limit: limit), deadline: deadline)
  }

  /// Messages that still need it, at most `Limits.segmentUses`.
  package func uses(
    environment: EnvironmentNumber, id: SegmentID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [SegmentUse] {
    try await pool.run(ListSegmentUses(environment: environment, id: id), deadline: deadline)
  }

  /// Whether it has the definition now, and the segment as it is; nil when there is none.
  package func replace(
    environment: EnvironmentNumber, id: SegmentID, revision: Int64, by definition: SegmentDefinition,
    call: AuditedCall, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> (isReplaced: Bool, segment: Segment)? {
    try await pool.first(
      ReplaceSegment(environment: environment, id: id, revision: revision, definition: definition, call: call),
      deadline: deadline)
  }

  /// False while a message needs it; nil when there is none.
  package func delete(
    environment: EnvironmentNumber, id: SegmentID, isForced: Bool, call: AuditedCall,
    deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Bool? {
    try await pool.first(
      DeleteSegment(environment: environment, id: id, isForced: isForced, call: call), deadline: deadline)
  }
}
