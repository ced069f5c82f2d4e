/// One question about an installation. What an installation doesn't have never fulfils a condition, except those that
/// ask for its absence: `is_not` and `not_exists`.
package enum FilterCondition: Sendable, Equatable {
  case version(VersionField, Membership<Semver>)
  case versionOrder(VersionField, Relation, Semver)
  /// `en` takes `en` and whatever starts with `en-` (RFC 4647, basic filtering).
  case language(Membership<LanguageTag>)
  case session(SessionField, TimeTest)
  case count(CountField, Quantity, Int64)
  case tag(key: String, Membership<String>)
  /// Only of tags that are decimal numbers themselves.
  case tagOrder(key: String, Relation, DecimalText)
  case platform(Membership<Platform>)
  case text(TextField, Membership<String>)
  /// Whether the field is known.
  case exists(OptionalField, Bool)
  /// Whether the installation is bound to a user.
  case identified(Bool)
  /// Whether its user, as it is bound now, has told this event of the message.
  case event(NotificationEventType, of: MessageID, isThere: Bool)

  package enum VersionField: Sendable, CaseIterable { case app, os }
  package enum SessionField: Sendable, CaseIterable { case first, last }
  package enum CountField: Sendable, CaseIterable { case sessions, foregroundSeconds }
  package enum TextField: Sendable, CaseIterable { case timeZone, externalID }

  package enum OptionalField: Sendable, Hashable {
    case version(VersionField)
    case session(SessionField)
    case text(TextField)
    case tag(key: String)
  }

  package enum Membership<Value: Sendable & Equatable>: Sendable, Equatable {
    case one(Value)
    case other(Value)
    /// At least one.
    case among([Value])
  }

  package enum Relation: Sendable, CaseIterable { case gt, gte, lt, lte }
  package enum Quantity: Sendable, Equatable, CaseIterable { case equal, unequal, gt, gte, lt, lte }

  package enum TimeTest: Sendable, Equatable {
    /// At least so many seconds ago.
    case olderThan(seconds: Int64)
    /// Less than so many seconds ago.
    case newerThan(seconds: Int64)
    case before(Timestamp)
    case after(Timestamp)
  }
}
