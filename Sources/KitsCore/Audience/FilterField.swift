/// What a filter can ask about, by its name in the API. `docs/segments.md` has the table; a test compares the two.
package enum FilterField: String, Sendable, CaseIterable {
  case appVersion = "app_version"
  case osVersion = "os_version"
  case language
  case firstSession = "first_session"
  case lastSession = "last_session"
  case sessionCount = "session_count"
  case foregroundSeconds = "foreground_seconds"
  /// With the tag's key behind it.
  case tag = "tag."
  case platform
  case timeZone = "time_zone"
  case identified
  case externalID = "external_id"
  case message

  package var operators: [FilterOperator] {
    switch self {
    case .appVersion, .osVersion: [.is, .isNot, .in, .gt, .gte, .lt, .lte, .exists, .notExists]
    case .language, .platform: [.is, .isNot, .in]
    case .firstSession, .lastSession: [.olderThan, .newerThan, .before, .after, .exists, .notExists]
    case .sessionCount, .foregroundSeconds: [.is, .isNot, .gt, .gte, .lt, .lte]
    case .tag: [.is, .isNot, .in, .gt, .gte, .lt, .lte, .exists, .notExists]
    case .timeZone, .externalID: [.is, .isNot, .in, .exists, .notExists]
    case .identified: [.is]
    case .message: [.received, .notReceived, .clicked, .notClicked]
    }
  }
}

/// How a field is compared, by its name in the API.
package enum FilterOperator: String, Sendable, CaseIterable {
  case `is`
  case isNot = "is_not"
  case `in`
  case gt
  case gte
  case lt
  case lte
  case exists
  case notExists = "not_exists"
  case olderThan = "older_than"
  case newerThan = "newer_than"
  case before
  case after
  case received
  case notReceived = "not_received"
  case clicked
  case notClicked = "not_clicked"
}
