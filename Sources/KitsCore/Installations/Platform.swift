/// What a device runs. Android is registered and kept; it is reached once FCM is built.
package enum Platform: Int16, Sendable, CaseIterable {
  case ios = 1
  case android = 2

  package var name: String { self == .ios ? "ios" : "android" }
}

/// Which APNs host a token is for (K3). Never the environment of a project.
package enum APNsEnvironment: Int16, Sendable, CaseIterable {
  case production = 1
  case sandbox = 2

  package var name: String { self == .production ? "production" : "sandbox" }
}

/// The permission that the operating system really gave (K5), apart from the preference inside the app.
package enum Permission: Int16, Sendable, CaseIterable {
  case unknown = 0
  case notDetermined = 1
  case denied = 2
  case authorized = 3
  case provisional = 4
  case ephemeral = 5

  package var name: String {
    switch self {
    case .unknown: "unknown"
    case .notDetermined: "not_determined"
    case .denied: "denied"
    case .authorized: "authorized"
    case .provisional: "provisional"
    case .ephemeral: "ephemeral"
    }
  }

  /// Unknown counts as allowed: an SDK that can't tell must not make its users unreachable.
  package var allowsPush: Bool { self != .notDetermined && self != .denied }
}

/// What is known of a push token.
package enum TokenState: Int16, Sendable, CaseIterable {
  /// No token was registered, or it was cleared.
  case none = 0
  /// Registered, and nothing speaks against it.
  case active = 1
  /// The push service refused it as malformed or of another app: not sent to until the device registers it again.
  case suspect = 2
  /// The push service said 410: the app is gone. The device makes it active by registering again.
  case unregistered = 3
  /// Given up: a later installation on the same device took over (the same guid). Registering it again makes it active.
  case superseded = 4

  package var name: String {
    switch self {
    case .none: "none"
    case .active: "active"
    case .suspect: "suspect"
    case .unregistered: "unregistered"
    case .superseded: "superseded"
    }
  }
}
