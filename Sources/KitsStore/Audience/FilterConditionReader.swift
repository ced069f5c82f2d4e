import JSON
import KitsCore

/// Reads `{field, op, value}`.
struct FilterConditionReader {
  private let object: ObjectReader

  private static let fields = Dictionary(
    uniqueKeysWithValues: FilterField.allCases.filter { $0 != .tag }.map { ($0.rawValue, $0) })
  private static let value = "value"

  init(_ object: ObjectReader) {
    self.object = object
  }

  /// Nil after a fault.
  func read() -> FilterCondition? {
    guard let (field, key) = readField() else {
      _ = object.value("op")
      _ = object.value(Self.value)
      return nil
    }
    let operators = Dictionary(uniqueKeysWithValues: field.operators.map { ($0.rawValue, $0) })
    guard let op = object.requiredChoice("op", operators) else {
      _ = object.value(Self.value)
      return nil
    }
    if let optional = Self.optional(field, key), op == .exists || op == .notExists {
      return .exists(optional, op == .exists)
    }
    return condition(field, key, op)
  }

  /// The field, and the key of a tag.
  private func readField() -> (FilterField, String)? {
    guard let member = object.requiredMember("field") else { return nil }
    let prefix = FilterField.tag.rawValue
    if let name = member.value.string, name.utf8.starts(with: prefix.utf8) {
      let key = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
      guard TagKey(key) != nil else {
        return member.refuse(.badFormat, "A tag's key has \(TagKey.form) after tag.")
      }
      return (.tag, key)
    }
    guard let name = member.value.string, let field = Self.fields[name] else {
      let names = Self.fields.keys.sorted().joined(separator: ", ")
      return member.value.string == nil
        ? member.refuse(.wrongType, "It must be a string.")
        : member.refuse(.notAllowed, "It must be tag. and a key, or one of: \(names).")
    }
    return (field, "")
  }

  private func condition(_ field: FilterField, _ key: String, _ op: FilterOperator) -> FilterCondition? {
    let relation = Self.relation(op)
    switch field {
    case .appVersion, .osVersion:
      let version: FilterCondition.VersionField = field == .appVersion ? .app : .os
      if let relation { return single(version: ()).map { .versionOrder(version, relation, $0) } }
      return membership(op, Self.version).map { .version(version, $0) }
    case .language: return membership(op, Self.language).map { .language($0) }
    case .firstSession, .lastSession: return timeTest(op).map { .session(field == .firstSession ? .first : .last, $0) }
    case .sessionCount, .foregroundSeconds:
      guard let quantity = Self.quantity(op), let number = object.requiredInteger(Self.value, in: Limits.filterCount)
      else { return nil }
      return .count(field == .sessionCount ? .sessions : .foregroundSeconds, quantity, number)
    case .tag:
      if let relation {
        return object.requiredMember(Self.value).flatMap(Self.decimal).map { .tagOrder(key: key, relation, $0) }
      }
      return membership(op) { $0.string(bytes: 0...Limits.tagValueBytes, refuseControls: true) }.map {
        .tag(key: key, $0)
      }
    case .platform: return membership(op) { $0.choice(Self.platforms) }.map { .platform($0) }
    case .timeZone:
      return membership(op) { $0.string(bytes: Limits.timeZoneBytes, refuseControls: true) }.map {
        .text(.timeZone, $0)
      }
    case .externalID:
      return membership(op) { $0.string(bytes: Limits.externalIDBytes, refuseControls: true) }
        .map { .text(.externalID, $0) }
    case .identified: return object.requiredBool(Self.value).map { .identified($0) }
    case .message:
      _ = object.requiredUUID(Self.value)
      object.refuse("field", .notAvailableYet, "It is not available in this version.")
      return nil
    }
  }

  private func single(version: Void) -> Semver? { object.requiredMember(Self.value).flatMap(Self.version) }

  private func membership<Value>(
    _ op: FilterOperator, _ read: (ElementReader) -> Value?
  ) -> FilterCondition.Membership<Value>? {
    switch op {
    case .isNot: return object.requiredMember(Self.value).flatMap(read).map { .other($0) }
    case .in:
      guard let elements = object.requiredArray(Self.value, count: Limits.filterValues) else { return nil }
      let values = elements.map(read)
      return values.contains { $0 == nil } ? nil : .among(values.compactMap { $0 })
    default: return object.requiredMember(Self.value).flatMap(read).map { .one($0) }
    }
  }

  private func timeTest(_ op: FilterOperator) -> FilterCondition.TimeTest? {
    switch op {
    case .olderThan: seconds.map { .olderThan(seconds: $0) }
    case .newerThan: seconds.map { .newerThan(seconds: $0) }
    case .before: instant.map { .before($0) }
    default: instant.map { .after($0) }
    }
  }

  private var seconds: Int64? { object.requiredInteger(Self.value, in: Limits.filterSeconds) }
  private var instant: Timestamp? { object.requiredTimestamp(Self.value).map(Timestamp.init(microseconds:)) }

  private static let platforms = Dictionary(uniqueKeysWithValues: Platform.allCases.map { ($0.name, $0) })

  private static func version(_ element: ElementReader) -> Semver? {
    guard let text = element.string(bytes: Limits.versionBytes, refuseControls: true) else { return nil }
    return Semver(parsing: text)
      ?? element.refuse(
        .badFormat, "It must be a version: numbers with dots between, then perhaps -pre.release and +build.")
  }

  private static func language(_ element: ElementReader) -> LanguageTag? {
    guard let text = element.string(bytes: Limits.languageBytes, refuseControls: true) else { return nil }
    guard !text.utf8.contains(UInt8(ascii: "_")), let tag = LanguageTag(parsing: text) else {
      return element.refuse(.badFormat, "It must be a language tag, like de or zh-Hant-TW.")
    }
    return tag
  }

  private static func decimal(_ element: ElementReader) -> DecimalText? {
    let decimal: DecimalText?
    switch element.value {
    case .integer(let number): return DecimalText(number)
    case .real(let number): decimal = DecimalText(number)
    default:
      guard let text = element.string(bytes: Limits.filterDecimalBytes) else { return nil }
      decimal = DecimalText(parsing: text)
    }
    guard let decimal, Limits.filterDecimalBytes.contains(decimal.text.utf8.count) else {
      return element.refuse(
        .badFormat,
        "It must be a decimal number without exponent, of at most \(Limits.filterDecimalBytes.upperBound) digits.")
    }
    return decimal
  }

  private static func optional(_ field: FilterField, _ key: String) -> FilterCondition.OptionalField? {
    switch field {
    case .appVersion: .version(.app)
    case .osVersion: .version(.os)
    case .firstSession: .session(.first)
    case .lastSession: .session(.last)
    case .tag: .tag(key: key)
    case .timeZone: .text(.timeZone)
    case .externalID: .text(.externalID)
    case .language, .sessionCount, .foregroundSeconds, .platform, .identified, .message: nil
    }
  }

  private static func relation(_ op: FilterOperator) -> FilterCondition.Relation? {
    switch op {
    case .gt: .gt
    case .gte: .gte
    case .lt: .lt
    case .lte: .lte
    default: nil
    }
  }

  private static func quantity(_ op: FilterOperator) -> FilterCondition.Quantity? {
    switch op {
    case .is: .equal
    case .isNot: .unequal
    case .gt: .gt
    case .gte: .gte
    case .lt: .lt
    case .lte: .lte
    default: nil
    }
  }
}
