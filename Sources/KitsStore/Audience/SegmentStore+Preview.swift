package import KitsCore
package import Postgres

extension SegmentStore {
  /// Plans are made for the values at hand, and may scan: the pool's other statements have it otherwise.
  private static let planning = "SET LOCAL enable_seqscan = on; SET LOCAL plan_cache_mode = auto"
  /// A part never reads all owners of tokens.
  private static let planningOfParts = "; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
  private static let timedOut = "57014"

  /// Counts everyone who matches; when that takes too long, a part.
  ///
  /// - Parameter isVerifiedOnly: only bindings that a token or a backend made can be sent to.
  package func preview(
    app: AppNumber, audience: Filter, isVerifiedOnly: Bool = false, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> AudiencePreview {
    try await previews.use { () throws(PostgresError) in
      do throws(PostgresError) {
        return try await exactly(app: app, audience: audience, isVerifiedOnly: isVerifiedOnly, deadline: deadline)
      } catch {
        guard case .server(let refusal) = error, refusal.sqlState == Self.timedOut else { throw error }
        return try await roughly(app: app, audience: audience, isVerifiedOnly: isVerifiedOnly, deadline: deadline)
      }
    }
  }

  /// Everyone, or the server's own timeout.
  func exactly(
    app: AppNumber, audience: Filter, isVerifiedOnly: Bool = false, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> AudiencePreview {
    let filter = CompiledFilter(audience, firstParameter: 2)
    var parameters = Parameters()
    parameters.add(app.value)
    filter.bind(into: &parameters)
    let statement = DynamicStatement(
      name: "PreviewExactly", sql: PreviewSQL.exact(filter, isVerifiedOnly), parameters: parameters,
      decode: ExactGroup.decode)
    let milliseconds = max(1, Int(exactLimit / .milliseconds(1)))
    let rows = try await run(
      statement, after: "\(Self.planning); SET LOCAL statement_timeout = \(milliseconds)", deadline)
    let digest = rows.reduce(AudienceDigest(0)) { $0 + $1.digest }
    return AudiencePreview(
      method: .exact(digest), groups: rows.compactMap(\.group), sample: rows.first?.sample ?? [],
      evaluatedAt: rows.first?.at ?? Timestamp(microseconds: 0))
  }

  /// A part of fixed size, whatever the size of the table.
  func roughly(
    app: AppNumber, audience: Filter, isVerifiedOnly: Bool = false, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> AudiencePreview {
    let share = try await share(deadline)
    let filter = CompiledFilter(audience, firstParameter: 3)
    var parameters = Parameters()
    parameters.add(app.value)
    parameters.add(share)
    filter.bind(into: &parameters)
    let statement = DynamicStatement(
      name: "PreviewRoughly", sql: PreviewSQL.estimate(filter, isVerifiedOnly), parameters: parameters,
      decode: EstimatedGroup.decode)
    let rows = try await run(statement, after: Self.planning + Self.planningOfParts, deadline)
    return AudiencePreview(
      method: .estimated(
        matchingError: rows.first?.matchingError ?? 0, sendableError: rows.first?.sendableError ?? 0),
      groups: rows.compactMap(\.group), sample: rows.first?.sample ?? [],
      evaluatedAt: rows.first?.at ?? Timestamp(microseconds: 0))
  }

  private func share(_ deadline: ContinuousClock.Instant) async throws(PostgresError) -> String {
    let statement = DynamicStatement<String>(name: "PreviewShare", sql: PreviewSQL.share, parameters: Parameters()) {
      (row) throws(PostgresError) in try row.string()
    }
    guard let share = try await pool.run(statement, deadline: deadline).first else {
      throw .decode("no size of installation")
    }
    return share
  }

  private func run<Row: Sendable>(
    _ statement: DynamicStatement<Row>, after settings: String, _ deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [Row] {
    do {
      return try await pool.transaction(deadline: deadline) { transaction in
        try await transaction.script(settings)
        return try await transaction.run(statement)
      }
    } catch let error as PostgresError {
      throw error
    } catch {
      // `transaction` throws what its body throws, and that throws nothing else.
      throw .unavailable("\(error)")
    }
  }
}

/// A row of `PreviewSQL.exact`.
private struct ExactGroup: Sendable {
  let at: Timestamp
  /// Nil in the only row of an audience of nobody.
  let group: AudiencePreview.Group?
  let digest: AudienceDigest
  let sample: [InstallationID]

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ExactGroup {
    let at = Timestamp(microseconds: try row.timestamp())
    let group = try AudiencePreview.Group.decode(&row)
    guard let digest = AudienceDigest(sum: try row.string()) else { throw .decode("a sum of hashes is no number") }
    return ExactGroup(at: at, group: group, digest: digest, sample: try row.uuidArray().map(InstallationID.init))
  }
}

/// A row of `PreviewSQL.estimate`.
private struct EstimatedGroup: Sendable {
  let at: Timestamp
  let group: AudiencePreview.Group?
  let matchingError: Int64
  let sendableError: Int64
  let sample: [InstallationID]

  static func decode(_ row: inout RowReader) throws(PostgresError) -> EstimatedGroup {
    EstimatedGroup(
      at: Timestamp(microseconds: try row.timestamp()), group: try AudiencePreview.Group.decode(&row),
      matchingError: try row.int64(), sendableError: try row.int64(),
      sample: try row.uuidArray().map(InstallationID.init))
  }
}

extension AudiencePreview.Group {
  /// Reads platform, whether it is bound, and two counts.
  fileprivate static func decode(_ row: inout RowReader) throws(PostgresError) -> AudiencePreview.Group? {
    guard let raw = try row.int16OrNil() else {
      _ = try row.boolOrNil()
      _ = try row.int64OrNil()
      _ = try row.int64OrNil()
      return nil
    }
    guard let platform = Platform(rawValue: raw) else { throw .decode("platform \(raw) is unknown") }
    return AudiencePreview.Group(
      platform: platform, isIdentified: try row.bool(),
      count: AudiencePreview.Count(matching: try row.int64(), sendable: try row.int64()))
  }
}
