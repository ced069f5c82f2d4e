/// A message that passed validation and is ready to be stored.
package struct NewMessage: Sendable, Equatable {
  package let id: MessageID
  package let app: AppNumber
  package let createdBy: ServerKeyID
  package let target: MessageTarget
  /// Segments whose members are left out. Never of named installations or users.
  package let excluded: [SegmentID]
  package let guards: AudienceGuards
  /// Only bindings that a token or a backend made are sent to.
  package let isVerifiedOnly: Bool
  /// The validated content as JSON text, for reading it back.
  package let contentJSON: [UInt8]
  package let payloads: RenderedPayloads
  package let kind: MessageKind
  package let priority: MessagePriority
  package let ttlSeconds: Int32
  package let collapseID: String?
  package let onUnknown: OnUnknown
  package let idempotency: Idempotency?
  /// Members are sent to only while the binding stands under which they were chosen. Planning may find another reason
  /// for it: segments can change until then.
  package let isFenced: Bool

  /// - Parameter dependsOnUser: what the segments say that it names; nil to ask the target alone.
  package init(
    id: MessageID, app: AppNumber, createdBy: ServerKeyID, target: MessageTarget, excluded: [SegmentID] = [],
    guards: AudienceGuards = .none, dependsOnUser: Bool? = nil, isVerifiedOnly: Bool = false,
    contentJSON: [UInt8], payloads: RenderedPayloads, kind: MessageKind, priority: MessagePriority, ttlSeconds: Int32,
    collapseID: String?, onUnknown: OnUnknown, idempotency: Idempotency?
  ) {
    self.id = id
    self.app = app
    self.createdBy = createdBy
    self.target = target
    self.excluded = excluded
    self.guards = guards
    isFenced = (dependsOnUser ?? target.dependsOnUser) || isVerifiedOnly
    self.isVerifiedOnly = isVerifiedOnly
    self.contentJSON = contentJSON
    self.payloads = payloads
    self.kind = kind
    self.priority = priority
    self.ttlSeconds = ttlSeconds
    self.collapseID = collapseID
    self.onUnknown = onUnknown
    self.idempotency = idempotency
  }

  /// The hash of the caller's key and of the body that came with it.
  package struct Idempotency: Sendable, Equatable {
    package let keyHash: [UInt8]
    package let bodyHash: [UInt8]

    package init(keyHash: [UInt8], bodyHash: [UInt8]) {
      self.keyHash = keyHash
      self.bodyHash = bodyHash
    }
  }
}

/// The payload of each localization, rendered when the message was created so that sending never fails on its size.
package struct RenderedPayloads: Sendable, Equatable {
  /// For devices whose language has no localization.
  package let base: [UInt8]
  /// Lower-case language tags with their payloads.
  package let localized: [(language: String, payload: [UInt8])]

  package init(base: [UInt8], localized: [(language: String, payload: [UInt8])]) {
    self.base = base
    self.localized = localized
  }

  /// The best match by RFC 4647 lookup, else the base text.
  package func best(for language: LanguageTag) -> [UInt8] {
    guard !localized.isEmpty else { return base }
    for range in language.lookupRange {
      if let match = localized.first(where: { $0.language == range }) { return match.payload }
    }
    return base
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.base == right.base && left.localized.count == right.localized.count
      && zip(left.localized, right.localized).allSatisfy { $0 == $1 }
  }
}
