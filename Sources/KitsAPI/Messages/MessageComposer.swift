internal import JSON
package import KitsCore
package import KitsStore

/// Makes the message of what was kept of a scheduled one: the same reading as when it was created, so that there is one
/// home for what a body means.
package struct MessageComposer: Sendable {
  package init() {}

  /// Throws when this version can't read what an earlier one took.
  package func compose(_ due: DueMessage) async throws -> NewMessage {
    guard let body = try JSON.parse(due.body, maxDepth: Limits.jsonDepth).object else {
      throw KitsError(.internalFault, "What was kept of a message is no object.")
    }
    let draft = try MessageDraft(body)
    // Where proof is asked for by now it is asked for, too.
    let dependsOnUser = draft.target.dependsOnUser || due.segmentsDependOnUser
    let isVerifiedOnly = due.isVerifiedOnly || draft.isVerifiedOnly ?? (dependsOnUser && due.enforcesProof)
    return try NewMessage(
      draft, id: due.id, app: due.app, createdBy: due.createdBy, dependsOnUser: dependsOnUser,
      isVerifiedOnly: isVerifiedOnly, start: due.start)
  }
}

extension NewMessage {
  /// A body that was read, for an app.
  init(
    _ draft: MessageDraft, id: MessageID, app: AppNumber, createdBy: ServerKeyID, dependsOnUser: Bool?,
    isVerifiedOnly: Bool, idempotency: Idempotency? = nil, start: ScheduledStart? = nil
  ) throws(KitsError) {
    let content = draft.content
    self.init(
      id: id, app: app, createdBy: createdBy, target: draft.target, excluded: draft.excluded, guards: draft.guards,
      dependsOnUser: dependsOnUser, isVerifiedOnly: isVerifiedOnly,
      contentJSON: content.json, payloads: try PayloadRenderer(content, id: id).render(), kind: content.kind,
      priority: content.priority, ttlSeconds: content.ttlSeconds, collapseID: content.collapseID,
      onUnknown: draft.onUnknown, tracking: content.tracking, idempotency: idempotency,
      throttlePerMinute: draft.throttlePerMinute, start: start)
  }
}
