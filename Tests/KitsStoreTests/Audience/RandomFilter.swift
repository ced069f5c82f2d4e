import KitsCore

/// Makes up conditions and trees of them.
struct RandomFilter {
  var random: SplitMix
  let now: Int64

  /// Every field with every operator that it has.
  static let pairs = FilterField.allCases.flatMap { field in
    field.operators.map { (field, $0) }
  }

  mutating func tree(depth: Int) -> Filter {
    guard depth > 1, Int.random(in: 0..<4, using: &random) > 0 else {
      guard let (field, op) = Self.pairs.randomElement(using: &random) else { return .everyone }
      return .condition(condition(field, op))
    }
    let count = Int.random(in: 0...3, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return .all((0..<count).map { _ in tree(depth: depth - 1) })
    case 1: return .any((0..<count).map { _ in tree(depth: depth - 1) })
    default: return .not(tree(depth: depth - 1))
    }
  }

  mutating func condition(_ field: FilterField, _ op: FilterOperator) -> FilterCondition {
    switch field {
    case .appVersion, .osVersion: version(field == .appVersion ? .app : .os, op)
    case .language: .language(membership(op) { $0.language })
    case .firstSession, .lastSession: session(field == .firstSession ? .first : .last, op)
    case .sessionCount: .count(.sessions, quantity(op), Int64.random(in: 0...5, using: &random))
    case .foregroundSeconds: .count(.foregroundSeconds, quantity(op), pick(Pool.counts))
    case .tag: tag(pick(Pool.keys), op)
    case .platform: .platform(membership(op) { $0.pick(Platform.allCases) })
    case .timeZone: text(.timeZone, op) { $0.pick(Pool.zones.compactMap { $0 }) }
    case .externalID: text(.externalID, op) { $0.pick(Pool.users.compactMap { $0 }) }
    case .identified: .identified(Bool.random(using: &random))
    case .message:
      .event(
        op == .received || op == .notReceived ? .received : .clicked, of: pick(Pool.messages),
        isThere: op == .received || op == .clicked)
    }
  }

  private mutating func version(_ field: FilterCondition.VersionField, _ op: FilterOperator) -> FilterCondition {
    if let relation = relation(op) { return .versionOrder(field, relation, semver) }
    if op == .exists || op == .notExists { return .exists(.version(field), op == .exists) }
    return .version(field, membership(op) { $0.semver })
  }

  private mutating func session(_ field: FilterCondition.SessionField, _ op: FilterOperator) -> FilterCondition {
    let seconds: Int64 = pick([1, 60, 3_600, 604_800, 50_000_000])
    let instant = Timestamp(microseconds: now - pick(Pool.ages.compactMap { $0 }) * 1_000_000)
    switch op {
    case .olderThan: return .session(field, .olderThan(seconds: seconds))
    case .newerThan: return .session(field, .newerThan(seconds: seconds))
    case .before: return .session(field, .before(instant))
    case .after: return .session(field, .after(instant))
    default: return .exists(.session(field), op == .exists)
    }
  }

  private mutating func tag(_ key: String, _ op: FilterOperator) -> FilterCondition {
    if let relation = relation(op) {
      return .tagOrder(key: key, relation, DecimalText(parsing: pick(Pool.decimals)) ?? DecimalText(0))
    }
    if op == .exists || op == .notExists { return .exists(.tag(key: key), op == .exists) }
    return .tag(key: key, membership(op) { $0.pick(Pool.values) })
  }

  private mutating func text(
    _ field: FilterCondition.TextField, _ op: FilterOperator, _ value: (inout RandomFilter) -> String
  ) -> FilterCondition {
    if op == .exists || op == .notExists { return .exists(.text(field), op == .exists) }
    return .text(field, membership(op, value))
  }

  private mutating func membership<Value>(
    _ op: FilterOperator, _ value: (inout RandomFilter) -> Value
  ) -> FilterCondition.Membership<Value> {
    switch op {
    case .isNot: return .other(value(&self))
    case .in: return .among((0..<Int.random(in: 1...3, using: &random)).map { _ in value(&self) })
    default: return .one(value(&self))
    }
  }

  private var semver: Semver {
    mutating get { pick(Pool.versions.compactMap { $0.flatMap(Semver.init(parsing:)) }) }
  }

  private var language: LanguageTag {
    mutating get { LanguageTag(parsing: pick(Pool.ranges)) ?? .undetermined }
  }

  private func relation(_ op: FilterOperator) -> FilterCondition.Relation? {
    [.gt: .gt, .gte: .gte, .lt: .lt, .lte: .lte][op]
  }

  private func quantity(_ op: FilterOperator) -> FilterCondition.Quantity {
    [.is: .equal, .isNot: .unequal, .gt: .gt, .gte: .gte, .lt: .lt, .lte: .lte][op] ?? .equal
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }
}
