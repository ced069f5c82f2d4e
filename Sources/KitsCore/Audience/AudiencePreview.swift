/// How many an audience has, before anything is sent.
package struct AudiencePreview: Sendable, Equatable {
  package let method: Method
  package let groups: [Group]
  /// Up to `Limits.previewSample` of them, spread over the whole audience.
  package let sample: [InstallationID]
  /// The database's clock.
  package let evaluatedAt: Timestamp

  package init(method: Method, groups: [Group], sample: [InstallationID], evaluatedAt: Timestamp) {
    self.method = method
    self.groups = groups
    self.sample = sample
    self.evaluatedAt = evaluatedAt
  }

  package enum Method: Sendable, Equatable {
    /// Everyone was counted.
    case exact(AudienceDigest)
    /// A part was counted: 19 of 20 such numbers are off by less than the error.
    case estimated(matchingError: Int64, sendableError: Int64)
  }

  /// Members with the same platform that are all bound to a user, or all not.
  package struct Group: Sendable, Equatable {
    package let platform: Platform
    package let isIdentified: Bool
    package let count: Count

    package init(platform: Platform, isIdentified: Bool, count: Count) {
      self.platform = platform
      self.isIdentified = isIdentified
      self.count = count
    }
  }

  package struct Count: Sendable, Equatable {
    package var matching: Int64
    /// Those that a message would be sent to.
    package var sendable: Int64

    package init(matching: Int64 = 0, sendable: Int64 = 0) {
      self.matching = matching
      self.sendable = sendable
    }
  }

  /// Of the groups that `isIncluded` takes.
  package func count(_ isIncluded: (Group) -> Bool = { _ in true }) -> Count {
    groups.filter(isIncluded).reduce(into: Count()) {
      $0.matching += $1.count.matching
      $0.sendable += $1.count.sendable
    }
  }
}

/// Says whether two audiences have the same members, whatever order they were met in: the sum of a 64-bit hash of each
/// member's number, modulo 2^64. A change of one member changes it, but for one case in 2^64.
package struct AudienceDigest: Sendable, Hashable {
  package let value: UInt64

  package init(_ value: UInt64) {
    self.value = value
  }

  package static let digits = 16

  /// 16 hexadecimal digits.
  package init?(parsing text: String) {
    guard text.utf8.count == Self.digits, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
      let value = UInt64(text, radix: 16)
    else { return nil }
    self.value = value
  }

  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: Self.digits - digits.count) + digits
  }
}
