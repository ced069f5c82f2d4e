package import KitsCore

extension AudienceDigest {
  /// Of row `i`: a bigint. PostgreSQL partitions tables by this hash, so it stays what it is.
  package static let memberHash = hash(of: "i.installation_no")

  /// The same of a member's number, an SQL expression.
  static func hash(of number: String) -> String { "hashint8extended(\(number), 0)" }

  /// From SQL's sum of hashes, a numeric as text; nil when it is none.
  package init?(sum text: String) {
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    let magnitude = digits.reduce(UInt64(0)) { $0 &* 10 &+ UInt64($1 - UInt8(ascii: "0")) }
    self.init(text.hasPrefix("-") ? 0 &- magnitude : magnitude)
  }

  /// Of both audiences together, when they share nobody.
  package static func + (left: AudienceDigest, right: AudienceDigest) -> AudienceDigest {
    AudienceDigest(left.value &+ right.value)
  }
}
