package enum WebhookEntity {}
package typealias WebhookID = Identifier<WebhookEntity>
package typealias WebhookNumber = Number<WebhookEntity>

/// Where a customer's backend takes events, without its secrets.
package struct Webhook: Sendable, Equatable {
  package let id: WebhookID
  package let definition: WebhookDefinition
  package let disabledReason: DisabledReason?
  /// Until when the secret before the current one signs too.
  package let previousSecretUntil: Timestamp?
  package let createdAt: Timestamp
  package let updatedAt: Timestamp
  package let standing: Standing

  package init(
    id: WebhookID, definition: WebhookDefinition, disabledReason: DisabledReason?, previousSecretUntil: Timestamp?,
    createdAt: Timestamp, updatedAt: Timestamp, standing: Standing
  ) {
    self.id = id
    self.definition = definition
    self.disabledReason = disabledReason
    self.previousSecretUntil = previousSecretUntil
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.standing = standing
  }

  /// Why it gets nothing.
  package enum DisabledReason: Int16, Sendable, CaseIterable {
    /// Somebody switched it off.
    case person = 1
    /// It answered 410 Gone.
    case gone = 2

    package var name: String { self == .person ? "disabled" : "gone" }
  }

  /// How delivering goes.
  package struct Standing: Sendable, Equatable {
    package let pending: Int64
    package let dead: Int64
    package let deliveredAt: Timestamp?
    package let failedAt: Timestamp?
    package let failure: String?

    package init(pending: Int64, dead: Int64, deliveredAt: Timestamp?, failedAt: Timestamp?, failure: String?) {
      self.pending = pending
      self.dead = dead
      self.deliveredAt = deliveredAt
      self.failedAt = failedAt
      self.failure = failure
    }

    package static let fresh = Standing(pending: 0, dead: 0, deliveredAt: nil, failedAt: nil, failure: nil)
  }
}

/// What a caller decides about an endpoint.
package struct WebhookDefinition: Sendable, Equatable {
  package var url: String
  /// In the order of their raw values, each once.
  package var types: [EventType]
  package var description: String?
  package var isEnabled: Bool
  /// Nil: of all apps of the environment.
  package var app: AppID?

  package init(url: String, types: [EventType], description: String?, isEnabled: Bool, app: AppID?) {
    self.url = url
    self.types = types
    self.description = description
    self.isEnabled = isEnabled
    self.app = app
  }
}

/// A merge patch: nil is unchanged.
package struct WebhookChange: Sendable, Equatable {
  package var url: String?
  package var types: [EventType]?
  package var description: Change<String>?
  package var isEnabled: Bool?

  package init() {}
}
