import JSON
import KitsCore

/// Builds the expression and gathers its parameters. The only place that builds SQL text at run time; every piece of it
/// stands in this file.
///
/// SQL has three truth values and a filter two. Conditions are written so that one on a missing value is NULL or FALSE,
/// which AND, OR and WHERE treat alike; every negation is `IS NOT TRUE`, which makes TRUE of both.
struct FilterCompiler {
  private(set) var values: [FilterValue] = []
  private let first: Int
  private let now: Timestamp?

  private static let microsecondsPerSecond: Int64 = 1_000_000
  private static let decimal = #"'^-?[0-9]+(\.[0-9]+)?$'"#

  init(first: Int, now: Timestamp?) {
    self.first = first
    self.now = now
  }

  mutating func expression(_ filter: Filter) -> String {
    switch filter {
    case .all(let parts): group(parts, joinedBy: " AND ", whenEmpty: "TRUE")
    case .any(let parts): group(parts, joinedBy: " OR ", whenEmpty: "FALSE")
    case .not(let part): negated(expression(part))
    case .condition(let condition): expression(condition)
    }
  }

  private mutating func group(_ parts: [Filter], joinedBy glue: String, whenEmpty: String) -> String {
    guard !parts.isEmpty else { return whenEmpty }
    var expressions: [String] = []
    for part in parts { expressions.append(expression(part)) }
    return "(" + expressions.joined(separator: glue) + ")"
  }

  private mutating func expression(_ condition: FilterCondition) -> String {
    switch condition {
    case .version(let field, let test):
      equality(Self.key(field), test) {
        .text($0.sortKey)
      } among: {
        .texts($0.map(\.sortKey))
      }
    case .versionOrder(let field, let relation, let version):
      "\(Self.key(field)) \(Self.sign(relation)) \(place(.text(version.sortKey)))"
    case .language(let test): language(test)
    case .session(let field, let test): time(Self.column(field), test)
    case .count(let field, let quantity, let number):
      "\(Self.column(field)) \(Self.sign(quantity)) \(place(.integer(number)))"
    case .tag(let key, let test): tag(key, test)
    case .tagOrder(let key, let relation, let number): tagOrder(key, relation, number)
    case .platform(let test):
      equality("i.platform", test) {
        .smalls([$0.rawValue])
      } among: {
        .smalls($0.map(\.rawValue))
      }
    case .text(let field, let test):
      equality(Self.column(field), test) {
        .text($0)
      } among: {
        .texts($0)
      }
    case .exists(let field, let isThere): presence(field, isThere)
    case .identified(let flag): flag ? "i.external_id IS NOT NULL" : "i.external_id IS NULL"
    case .event(let type, let message, let isThere): event(type, of: message, isThere)
    }
  }

  private mutating func equality<Value>(
    _ column: String, _ test: FilterCondition.Membership<Value>, one: (Value) -> FilterValue,
    among: ([Value]) -> FilterValue
  ) -> String {
    switch test {
    case .one(let value): equals(column, one(value))
    case .other(let value): negated(equals(column, one(value)))
    case .among(let values): equals(column, among(values))
    }
  }

  private mutating func equals(_ column: String, _ value: FilterValue) -> String {
    switch value {
    case .texts, .smalls: "\(column) = ANY (\(place(value)))"
    case .text, .integer, .json, .instant, .uuid: "\(column) = \(place(value))"
    }
  }

  /// Tags are stored in lower case and hold no character that LIKE knows.
  private mutating func language(_ test: FilterCondition.Membership<LanguageTag>) -> String {
    switch test {
    case .one(let tag): languageRange(tag)
    case .other(let tag): negated(languageRange(tag))
    case .among(let tags):
      "(i.language = ANY (\(place(.texts(tags.map(\.text)))))"
        + " OR i.language LIKE ANY (\(place(.texts(tags.map { $0.text + "-%" })))))"
    }
  }

  private mutating func languageRange(_ tag: LanguageTag) -> String {
    "(i.language = \(place(.text(tag.text))) OR starts_with(i.language, \(place(.text(tag.text + "-")))))"
  }

  private mutating func time(_ column: String, _ test: FilterCondition.TimeTest) -> String {
    switch test {
    case .olderThan(let seconds): "\(column) <= \(ago(seconds))"
    case .newerThan(let seconds): "\(column) > \(ago(seconds))"
    case .before(let instant): "\(column) < \(place(.instant(instant)))"
    case .after(let instant): "\(column) > \(place(.instant(instant)))"
    }
  }

  private mutating func ago(_ seconds: Int64) -> String {
    guard let now else { return "(now() - \(place(.integer(seconds))) * interval '1 second')" }
    return place(.instant(Timestamp(microseconds: now.microseconds - seconds * Self.microsecondsPerSecond)))
  }

  /// Containment is what the index on tags can answer.
  private mutating func tag(_ key: String, _ test: FilterCondition.Membership<String>) -> String {
    switch test {
    case .one(let value): "i.tags @> \(place(.json(Self.object(key, value))))"
    case .other(let value): negated("i.tags @> \(place(.json(Self.object(key, value))))")
    case .among(let values): "(i.tags ->> \(place(.text(key)))) = ANY (\(place(.texts(values))))"
    }
  }

  /// CASE keeps the cast from what is no number.
  private mutating func tagOrder(_ key: String, _ relation: FilterCondition.Relation, _ number: DecimalText) -> String {
    let value = "(i.tags ->> \(place(.text(key))))"
    return "(CASE WHEN \(value) COLLATE \"C\" ~ \(Self.decimal)"
      + " THEN \(value)::numeric \(Self.sign(relation)) \(place(.text(number.text)))::numeric END)"
  }

  private mutating func presence(_ field: FilterCondition.OptionalField, _ isThere: Bool) -> String {
    switch field {
    case .version(let field): Self.column(field) + Self.presence(isThere)
    case .session(let field): Self.column(field) + Self.presence(isThere)
    case .text(let field): Self.column(field) + Self.presence(isThere)
    case .tag(let key): (isThere ? "" : "NOT ") + "i.tags ? \(place(.text(key)))"
    }
  }

  /// By the primary keys of both tables. An event of an earlier binding is another user's.
  private mutating func event(_ type: NotificationEventType, of message: MessageID, _ isThere: Bool) -> String {
    """
    \(isThere ? "" : "NOT ")EXISTS (
      SELECT
      FROM message x
      JOIN notification_event y ON y.app_no = x.app_no AND y.message_no = x.message_no
      WHERE x.app_no = i.app_no AND x.message_id = \(place(.uuid(message.uuid)))
        AND y.installation_no = i.installation_no AND y.type = \(type.rawValue)
        AND y.binding_number = i.binding_number
    )
    """
  }

  /// The number of a parameter that will have this value.
  private mutating func place(_ value: FilterValue) -> String {
    values.append(value)
    return "$\(first + values.count - 1)"
  }

  private func negated(_ expression: String) -> String { "((\(expression)) IS NOT TRUE)" }

  private static func presence(_ isThere: Bool) -> String { isThere ? " IS NOT NULL" : " IS NULL" }

  private static func object(_ key: String, _ value: String) -> [UInt8] {
    JSON.write(.object(JSONObject([(key, .string(value))])))
  }

  private static func key(_ field: FilterCondition.VersionField) -> String {
    field == .app ? "i.app_version_key" : "i.os_version_key"
  }

  private static func column(_ field: FilterCondition.VersionField) -> String {
    field == .app ? "i.app_version" : "i.os_version"
  }

  private static func column(_ field: FilterCondition.SessionField) -> String {
    field == .first ? "i.first_session_at" : "i.last_session_at"
  }

  private static func column(_ field: FilterCondition.CountField) -> String {
    field == .sessions ? "i.session_count" : "i.foreground_seconds"
  }

  private static func column(_ field: FilterCondition.TextField) -> String {
    field == .timeZone ? "i.time_zone" : "i.external_id"
  }

  private static func sign(_ relation: FilterCondition.Relation) -> String {
    switch relation {
    case .gt: ">"
    case .gte: ">="
    case .lt: "<"
    case .lte: "<="
    }
  }

  private static func sign(_ quantity: FilterCondition.Quantity) -> String {
    switch quantity {
    case .equal: "="
    case .unequal: "<>"
    case .gt: ">"
    case .gte: ">="
    case .lt: "<"
    case .lte: "<="
    }
  }
}
