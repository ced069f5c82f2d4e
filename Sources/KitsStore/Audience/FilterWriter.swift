package import JSON
package import KitsCore

/// Writes a filter in its canonical form, which reads back as the same filter: decimals as texts, times in UTC,
/// languages in lower case, members in one order.
package enum FilterWriter {
  package static func bytes(_ filter: Filter) -> [UInt8] {
    var json = JSONWriter()
    write(filter, to: &json)
    return json.bytes
  }

  package static func write(_ filter: Filter, to json: inout JSONWriter) {
    json.beginObject()
    switch filter {
    case .all(let parts): group("all", parts, &json)
    case .any(let parts): group("any", parts, &json)
    case .not(let part):
      json.key("not")
      write(part, to: &json)
    case .condition(let condition): write(condition, &json)
    }
    json.endObject()
  }

  private static func group(_ name: String, _ parts: [Filter], _ json: inout JSONWriter) {
    json.key(name)
    json.beginArray()
    for part in parts { write(part, to: &json) }
    json.endArray()
  }

  private static func write(_ condition: FilterCondition, _ json: inout JSONWriter) {
    switch condition {
    case .version(let field, let test): membership(name(field), test, &json) { $1.value($0.text) }
    case .versionOrder(let field, let relation, let version):
      head(name(field), op(relation), &json)
      json.member("value", version.text)
    case .language(let test): membership("language", test, &json) { $1.value($0.text) }
    case .session(let field, let test): time(name(field), test, &json)
    case .count(let field, let quantity, let number):
      head(field == .sessions ? .sessionCount : .foregroundSeconds, op(quantity), &json)
      json.member("value", Int64?.some(number))
    case .tag(let key, let test): membership(tag(key), test, &json) { $1.value($0) }
    case .tagOrder(let key, let relation, let number):
      head(tag(key), op(relation), &json)
      json.member("value", number.text)
    case .platform(let test): membership("platform", test, &json) { $1.value($0.name) }
    case .text(let field, let test): membership(name(field), test, &json) { $1.value($0) }
    case .exists(let field, let isThere): head(name(field), isThere ? .exists : .notExists, &json)
    case .identified(let flag):
      head(.identified, .is, &json)
      json.member("value", flag)
    case .event(let type, let message, let isThere):
      head(.message, op(type, isThere), &json)
      json.member("value", message.text)
    }
  }

  private static func membership<Value>(
    _ field: String, _ test: FilterCondition.Membership<Value>, _ json: inout JSONWriter,
    _ write: (Value, inout JSONWriter) -> Void
  ) {
    switch test {
    case .one(let value):
      head(field, .is, &json)
      json.key("value")
      write(value, &json)
    case .other(let value):
      head(field, .isNot, &json)
      json.key("value")
      write(value, &json)
    case .among(let values):
      head(field, .in, &json)
      json.key("value")
      json.beginArray()
      for value in values { write(value, &json) }
      json.endArray()
    }
  }

  private static func time(_ field: String, _ test: FilterCondition.TimeTest, _ json: inout JSONWriter) {
    switch test {
    case .olderThan(let seconds):
      head(field, .olderThan, &json)
      json.member("value", Int64?.some(seconds))
    case .newerThan(let seconds):
      head(field, .newerThan, &json)
      json.member("value", Int64?.some(seconds))
    case .before(let instant):
      head(field, .before, &json)
      json.timestampMember("value", instant.microseconds)
    case .after(let instant):
      head(field, .after, &json)
      json.timestampMember("value", instant.microseconds)
    }
  }

  private static func head(_ field: FilterField, _ op: FilterOperator, _ json: inout JSONWriter) {
    head(field.rawValue, op, &json)
  }

  private static func head(_ field: String, _ op: FilterOperator, _ json: inout JSONWriter) {
    json.member("field", field)
    json.member("op", op.rawValue)
  }

  private static func tag(_ key: String) -> String { FilterField.tag.rawValue + key }

  private static func name(_ field: FilterCondition.VersionField) -> String {
    (field == .app ? FilterField.appVersion : .osVersion).rawValue
  }

  private static func name(_ field: FilterCondition.SessionField) -> String {
    (field == .first ? FilterField.firstSession : .lastSession).rawValue
  }

  private static func name(_ field: FilterCondition.TextField) -> String {
    (field == .timeZone ? FilterField.timeZone : .externalID).rawValue
  }

  private static func name(_ field: FilterCondition.OptionalField) -> String {
    switch field {
    case .version(let field): name(field)
    case .session(let field): name(field)
    case .text(let field): name(field)
    case .tag(let key): tag(key)
    }
  }

  private static func op(_ type: NotificationEventType, _ isThere: Bool) -> FilterOperator {
    switch type {
    case .received: isThere ? .received : .notReceived
    case .clicked: isThere ? .clicked : .notClicked
    }
  }

  private static func op(_ relation: FilterCondition.Relation) -> FilterOperator {
    switch relation {
    case .gt: .gt
    case .gte: .gte
    case .lt: .lt
    case .lte: .lte
    }
  }

  private static func op(_ quantity: FilterCondition.Quantity) -> FilterOperator {
    switch quantity {
    case .equal: .is
    case .unequal: .isNot
    case .gt: .gt
    case .gte: .gte
    case .lt: .lt
    case .lte: .lte
    }
  }
}
