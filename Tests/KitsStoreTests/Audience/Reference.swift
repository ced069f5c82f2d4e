import KitsCore

/// What a filter means, said a second time and without SQL.
struct Reference {
  /// Microseconds since 1970.
  let now: Int64

  func matches(_ filter: Filter, _ person: Person) -> Bool {
    switch filter {
    case .all(let parts): parts.allSatisfy { matches($0, person) }
    case .any(let parts): parts.contains { matches($0, person) }
    case .not(let part): !matches(part, person)
    case .condition(let condition): matches(condition, person)
    }
  }

  private func matches(_ condition: FilterCondition, _ person: Person) -> Bool {
    switch condition {
    case .version(let field, let test):
      let version = version(field, person).flatMap(PlainVersion.init)
      return member(test) { wanted in
        guard let version, let other = PlainVersion(wanted.text) else { return false }
        return version.compare(other) == 0
      }
    case .versionOrder(let field, let relation, let wanted):
      guard let version = version(field, person).flatMap(PlainVersion.init), let other = PlainVersion(wanted.text)
      else {
        return false
      }
      return holds(relation, version.compare(other))
    case .language(let test):
      let subtags = person.language.split(separator: "-")
      return member(test) { subtags.starts(with: $0.text.split(separator: "-")) }
    case .session(let field, let test): return session(field == .first ? person.firstSession : person.lastSession, test)
    case .count(let field, let quantity, let number):
      return holds(quantity, field == .sessions ? person.sessions : person.foregroundSeconds, number)
    case .tag(let key, let test): return member(test) { same(person.tags[key], $0) }
    case .tagOrder(let key, let relation, let wanted):
      guard let number = person.tags[key].flatMap(PlainDecimal.init), let other = PlainDecimal(wanted.text) else {
        return false
      }
      return holds(relation, number.compare(other))
    case .platform(let test): return member(test) { person.platform == $0 }
    case .text(let field, let test):
      return member(test) { same(field == .timeZone ? person.timeZone : person.externalID, $0) }
    case .exists(let field, let isThere): return exists(field, person) == isThere
    case .identified(let flag): return (person.externalID != nil) == flag
    case .event(let type, let message, let isThere):
      let isTold = person.events.contains {
        Pool.messages[$0.message] == message && $0.type == type && $0.isOfThisBinding
      }
      return isTold == isThere
    }
  }

  private func version(_ field: FilterCondition.VersionField, _ person: Person) -> String? {
    field == .app ? person.appVersion : person.osVersion
  }

  private func exists(_ field: FilterCondition.OptionalField, _ person: Person) -> Bool {
    switch field {
    case .version(let field): version(field, person) != nil
    case .session(let field): (field == .first ? person.firstSession : person.lastSession) != nil
    case .text(let field): (field == .timeZone ? person.timeZone : person.externalID) != nil
    case .tag(let key): person.tags[key] != nil
    }
  }

  private func session(_ at: Int64?, _ test: FilterCondition.TimeTest) -> Bool {
    guard let at else { return false }
    switch test {
    case .olderThan(let seconds): return now - at >= seconds * 1_000_000
    case .newerThan(let seconds): return now - at < seconds * 1_000_000
    case .before(let instant): return at < instant.microseconds
    case .after(let instant): return at > instant.microseconds
    }
  }

  private func member<Value>(
    _ test: FilterCondition.Membership<Value>, _ isEqual: (Value) -> Bool
  ) -> Bool {
    switch test {
    case .one(let value): isEqual(value)
    case .other(let value): !isEqual(value)
    case .among(let values): values.contains(where: isEqual)
    }
  }

  /// Bytes decide, not Unicode's equivalence.
  private func same(_ text: String?, _ other: String) -> Bool { text.map { Array($0.utf8) } == Array(other.utf8) }

  private func holds(_ relation: FilterCondition.Relation, _ order: Int) -> Bool {
    switch relation {
    case .gt: order > 0
    case .gte: order >= 0
    case .lt: order < 0
    case .lte: order <= 0
    }
  }

  private func holds(_ quantity: FilterCondition.Quantity, _ left: Int64, _ right: Int64) -> Bool {
    switch quantity {
    case .equal: left == right
    case .unequal: left != right
    case .gt: left > right
    case .gte: left >= right
    case .lt: left < right
    case .lte: left <= right
    }
  }
}

/// A version by its parts.
struct PlainVersion {
  private let core: [String]
  private let preRelease: [String]?

  init?(_ text: String) {
    let halves = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = halves[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let core = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let marked = parts.count > 1 ? parts[1].split(separator: ".", omittingEmptySubsequences: false) : nil
    guard core.allSatisfy({ PlainDecimal.isNumber($0) }),
      (marked ?? []).allSatisfy({ !$0.isEmpty && Self.isPlain($0) }),
      halves.count == 1 || halves[1].split(separator: ".").allSatisfy(Self.isPlain)
    else { return nil }
    self.core = core.map(String.init)
    preRelease = marked?.map(String.init)
  }

  private static func isPlain(_ text: Substring) -> Bool {
    text.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-")
    }
  }

  func compare(_ other: PlainVersion) -> Int {
    for index in 0..<max(core.count, other.core.count) {
      let left = index < core.count ? core[index] : "0"
      let order = PlainDecimal.digits(left, index < other.core.count ? other.core[index] : "0")
      if order != 0 { return order }
    }
    switch (preRelease, other.preRelease) {
    case (nil, nil): return 0
    case (nil, _): return 1
    case (_, nil): return -1
    case (let left?, let right?): return Self.compare(left, right)
    }
  }

  private static func compare(_ left: [String], _ right: [String]) -> Int {
    for (one, other) in zip(left, right) {
      let isNumber = (PlainDecimal.isNumber(one[...]), PlainDecimal.isNumber(other[...]))
      if isNumber == (true, true) {
        let order = PlainDecimal.digits(one, other)
        if order != 0 { return order }
      } else if isNumber.0 != isNumber.1 {
        return isNumber.0 ? -1 : 1
      } else if one != other {
        return Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8)) ? -1 : 1
      }
    }
    return left.count - right.count
  }
}

/// A decimal by its digits.
struct PlainDecimal {
  private let isNegative: Bool
  private let whole: String
  private let fraction: String

  init?(_ text: String) {
    let parts = text.drop { $0 == "-" }.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard !text.hasPrefix("--"), let first = parts.first, parts.allSatisfy(Self.isNumber) else { return nil }
    whole = String(first)
    fraction = parts.count > 1 ? String(parts[1]) : ""
    isNegative = text.hasPrefix("-") && (whole + fraction).contains { $0 != "0" }
  }

  static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.unicodeScalars.allSatisfy { ("0"..."9").contains($0) }
  }

  func compare(_ other: PlainDecimal) -> Int {
    if isNegative != other.isNegative { return isNegative ? -1 : 1 }
    let length = max(fraction.count, other.fraction.count)
    func padded(_ number: PlainDecimal) -> String {
      number.whole + number.fraction + String(repeating: "0", count: length - number.fraction.count)
    }
    let order = Self.digits(padded(self), padded(other))
    return isNegative ? -order : order
  }

  /// Numbers without sign, of any length.
  static func digits(_ left: String, _ right: String) -> Int {
    let (left, right) = (left.drop { $0 == "0" }, right.drop { $0 == "0" })
    if left.count != right.count { return left.count - right.count }
    return left == right ? 0 : left < right ? -1 : 1
  }
}
