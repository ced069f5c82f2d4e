package import KitsCore

/// What a device tells of deliveries that it got, in one request.
package struct EventReport: Sendable {
  package let app: AppNumber
  package let installation: InstallationNumber
  package let reporter: Reporter
  package let events: [Event]

  package init(app: AppNumber, installation: InstallationNumber, reporter: Reporter, events: [Event]) {
    self.app = app
    self.installation = installation
    self.reporter = reporter
    self.events = events
  }

  package enum Reporter: Sendable, Equatable {
    /// The app, with a device token of this generation. The installation's consent decides.
    case app(generation: Int32)
    /// The notification service extension, with a receipt token. Its own consent has decided (K14).
    case serviceExtension

    var source: NotificationEventSource {
      switch self {
      case .app: .app
      case .serviceExtension: .serviceExtension
      }
    }

    var generation: Int32? {
      switch self {
      case .app(let generation): generation
      case .serviceExtension: nil
      }
    }
  }

  /// As the delivery's id says it; only type and time are the device's word.
  package struct Event: Sendable, Equatable {
    package let message: MessageNumber
    package let binding: Int64
    package let type: NotificationEventType
    /// By the device's clock.
    package let occurredAt: Timestamp?

    package init(message: MessageNumber, binding: Int64, type: NotificationEventType, occurredAt: Timestamp?) {
      self.message = message
      self.binding = binding
      self.type = type
      self.occurredAt = occurredAt
    }
  }

  package enum Answer: Sendable, Equatable {
    /// One for each event, in their order.
    case events([EventAnswer])
    /// The installation is gone, or its device token is of an older generation.
    case gone
  }
}

/// What became of one event: the record rules (K31), `docs/record-rules.md`.
package enum EventAnswer: Int16, Sendable, CaseIterable {
  case recorded = 1
  /// It was told before, by whomever.
  case duplicate = 2
  case collectionOff = 3
  case bindingChanged = 4
  case tooOld = 5
}
