import KitsCore
package import Postgres

extension DeliveryStore {
  private static let timedOut = "57014"

  /// Takes a plan. With the first claim of a message its audience is fixed: later ones, by whomever, find it as it was.
  /// Nil when there is none to take, or it was canceled meanwhile.
  package func claimPlan() async throws(PostgresError) -> PlanClaim? {
    guard let plan = try await pool.first(ClaimPlan(owner: owner)) else { return nil }
    if plan.hasAudience { return try await fix(plan) }
    return plan.claim(plan.kind == .everyone ? .everyone : .named)
  }

  private func fix(_ plan: ClaimedPlan) async throws(PostgresError) -> PlanClaim? {
    guard let audience = try await audience(of: plan) else {
      let refusal = RefusePlan(plan: plan, owner: owner, reason: .segmentDeleted)
      guard try await pool.first(refusal) != nil else { return nil }
      return plan.claim(.refused(.segmentDeleted))
    }
    let fixed = try await pool.first(FixAudience(plan: plan, owner: owner, audience: audience))
    return fixed.map { plan.claim(.audience($0)) }
  }

  /// Nil when a segment that it needs is gone. Segments are read after their number: one that is deleted in between is
  /// missed, and nothing else can happen to them.
  private func audience(of plan: ClaimedPlan) async throws(PostgresError) -> Filter? {
    guard let draft = try await pool.first(ReadAudience(app: plan.app, message: plan.id)) else { return nil }
    if let fixed = draft.fixed { return fixed }
    let segments = try await pool.run(ReadMessageSegments(app: plan.app, message: plan.id))
    guard segments.count == Int(draft.segments) else { return nil }
    let included = segments.filter { !$0.isExcluded }.map(\.audience)
    let excluded = segments.filter(\.isExcluded).map(\.audience)
    return .audience(of: plan.kind == .segments ? included : [draft.filter ?? .everyone], excluding: excluded)
  }

  /// At most `pageLimit` members of the next `scanWindow` installations. Nil when the plan was canceled or taken over.
  package func planPage(
    _ claim: PlanClaim, scanWindow: Int64, pageLimit: Int32
  ) async throws(PostgresError) -> PlanProgress? {
    switch claim.source {
    case .everyone:
      let page = PlanPageOfEveryone(claim: claim, owner: owner, scanWindow: scanWindow, pageLimit: pageLimit)
      return try await pool.first(page)
    case .named: return try await pool.first(PlanPageOfNamed(claim: claim, owner: owner, pageLimit: pageLimit))
    case .audience(let audience):
      return try await page(of: audience, claim, reach: .rows(scanWindow), pageLimit: pageLimit)
    case .refused: return nil
    }
  }

  /// What came of a page that looked at everything.
  package enum Attempt: Sendable, Equatable {
    case page(PlanProgress)
    /// Canceled, or taken over.
    case gone
    /// It would have taken too long. Nothing happened.
    case tooLong
  }

  /// The first page of an untouched audience, whatever number of installations has to be looked at for it.
  package func planWhole(
    _ audience: PlanAudience, _ claim: PlanClaim, within limit: Duration, pageLimit: Int32
  ) async throws(PostgresError) -> Attempt {
    do throws(PostgresError) {
      let page = try await page(of: audience, claim, reach: .whole(within: limit), pageLimit: pageLimit)
      return page.map(Attempt.page) ?? .gone
    } catch {
      guard case .server(let refusal) = error, refusal.sqlState == Self.timedOut else { throw error }
      return .tooLong
    }
  }

  private func page(
    of audience: PlanAudience, _ claim: PlanClaim, reach: PlanPageOfAudience.Reach, pageLimit: Int32
  ) async throws(PostgresError) -> PlanProgress? {
    let statement = PlanPageOfAudience.statement(claim, audience, owner: owner, reach: reach, pageLimit: pageLimit)
    let settings = PlanPageOfAudience.settings(reach)
    do {
      return try await pool.transaction { transaction in
        try await transaction.script(settings)
        return try await transaction.run(statement).first
      }
    } catch let error as PostgresError {
      throw error
    } catch {
      // `transaction` throws what its body throws, and that throws nothing else.
      throw .unavailable("\(error)")
    }
  }
}
