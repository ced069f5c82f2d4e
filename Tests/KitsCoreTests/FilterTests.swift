import KitsCore
import Testing

@Suite("Filters")
struct FilterTests {
  private static let ios = Filter.condition(.platform(.one(.ios)))
  private static let pro = Filter.condition(.tag(key: "plan", .one("pro")))

  @Test("depth counts the groups on the way and the condition; leaves are conditions and empty groups")
  func measures() {
    #expect(Self.ios.depth == 1 && Self.ios.leaves == 1)
    #expect(Filter.everyone.depth == 1 && Filter.everyone.leaves == 1)
    let tree = Filter.all([.not(.any([Self.ios, Self.pro])), Self.pro, .any([.all([])])])
    #expect(tree.depth == 4 && tree.leaves == 4)
  }

  @Test("an audience is one of the segments and none of the excluded")
  func audience() {
    #expect(Filter.audience(of: [Self.ios]) == Self.ios)
    #expect(Filter.audience(of: [Self.ios, Self.pro]) == .any([Self.ios, Self.pro]))
    #expect(Filter.audience(of: [.everyone], excluding: [Self.pro]) == .all([.everyone, .not(.any([Self.pro]))]))
  }

  @Test("tags, the user's id and being bound depend on the user; what belongs to the device doesn't")
  func dependence() {
    let ofUser: [FilterCondition] = [
      .tag(key: "a", .one("b")), .tagOrder(key: "a", .gt, DecimalText(1)), .exists(.tag(key: "a"), false),
      .identified(false), .text(.externalID, .one("u")), .exists(.text(.externalID), true),
    ]
    let ofDevice: [FilterCondition] = [
      .platform(.one(.ios)), .text(.timeZone, .one("UTC")), .exists(.text(.timeZone), true), .count(.sessions, .gt, 1),
      .session(.last, .newerThan(seconds: 1)), .exists(.version(.app), true), .language(.one(.undetermined)),
    ]
    for condition in ofUser { #expect(Filter.not(.all([Self.ios, .condition(condition)])).dependsOnUser) }
    for condition in ofDevice { #expect(!Filter.any([Self.ios, .condition(condition)]).dependsOnUser) }
    #expect(Self.ios.ofIdentifiedOnly.dependsOnUser)
  }

  @Test(
    "decimals are kept digit by digit",
    arguments: [
      ("7", "7"), ("007.50", "7.5"), ("-0", "0"), ("-0.00", "0"), ("0.1", "0.1"), ("-3.25", "-3.25"),
      ("99999999999999999999.00000000000000000001", "99999999999999999999.00000000000000000001"),
    ])
  func decimals(raw: String, text: String) {
    #expect(DecimalText(parsing: raw)?.text == text)
  }

  @Test(
    "what isn't a plain decimal is refused", arguments: ["", "-", ".5", "5.", "+5", "1e5", "1,5", " 1", "1.2.3", "٣"])
  func notDecimal(raw: String) {
    #expect(DecimalText(parsing: raw) == nil)
  }

  @Test(
    "a double is written out",
    arguments: [
      (0.1, "0.1"), (-2.5, "-2.5"), (1e20, "100000000000000000000"), (1.25e-7, "0.000000125"), (0.0, "0"),
      (-1.5e17, "-150000000000000000"), (.infinity, nil), (.nan, nil),
    ] as [(Double, String?)])
  func doubles(number: Double, text: String?) {
    let written = DecimalText(number)?.text
    #expect(written == text)
    #expect(DecimalText(Double.leastNonzeroMagnitude)?.text.utf8.count == 326)
  }

  @Test("a digest is 16 hexadecimal digits and comes back from them")
  func digest() {
    for value in [0, 1, UInt64.max, 0xABC] {
      let digest = AudienceDigest(value)
      #expect(digest.text.utf8.count == 16 && AudienceDigest(parsing: digest.text) == digest)
    }
    for text in ["", "+000000000000001", "00000000000000000", "000000000000000g"] {
      #expect(AudienceDigest(parsing: text) == nil)
    }
  }
}
