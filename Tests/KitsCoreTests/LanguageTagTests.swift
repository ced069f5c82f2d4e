import Foundation
import KitsCore
import Testing

@Suite("Language tags")
struct LanguageTagTests {
  private static func vector(_ name: String) throws -> [String: Any] {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
    let data = try Data(contentsOf: root.appending(path: "Vectors/bcp47/\(name)"))
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// Tags that RFC 5646 keeps although they don't follow its grammar.
  private static let irregular: Set<String> = [
    "en-GB-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux", "i-mingo", "i-navajo",
    "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-BE-FR", "sgn-BE-NL", "sgn-CH-DE",
  ]

  @Test("the irregular tags of RFC 5646 are read, others like them aren't")
  func irregular() {
    for tag in Self.irregular {
      #expect(LanguageTag(parsing: tag)?.text == tag.lowercased())
      #expect(LanguageTag(parsing: tag + "-x-a") == nil)
    }
    #expect(LanguageTag(parsing: "i-klingon")?.lookupRange == ["i-klingon"])
    #expect(LanguageTag(parsing: "i-latin") == nil)
  }

  @Test("published well-formed tags are read")
  func wellFormed() throws {
    let cases = try #require(Self.vector("wooorm-well-formed.json")["well_formed"] as? [[String: Any]])
    let tags = cases.compactMap { $0["tag"] as? String }
    #expect(tags.count == 91)
    for tag in tags {
      #expect(LanguageTag(parsing: tag) != nil, "\(tag)")
    }
  }

  @Test("the examples of RFC 5646 Appendix A are read")
  func appendix() throws {
    let tags = try #require(Self.vector("rfc5646-appendix-a.json")["well_formed_and_valid"] as? [String])
    for tag in tags {
      #expect(LanguageTag(parsing: tag)?.text == tag.lowercased())
    }
  }

  @Test("every locale of the CLDR is read")
  func locales() throws {
    let file = try Self.vector("cldr-available-locales.json")
    let locales =
      (file["availableLocales"] as? [String: [String]])?.values.flatMap { $0 } ?? file["availableLocales"] as? [String]
      ?? []
    #expect(locales.count == 739)
    for locale in locales { #expect(LanguageTag(parsing: locale) != nil, "\(locale)") }
  }

  @Test(
    "what isn't a tag is refused",
    arguments: [
      "", "a", "a-DE", "1a", "de-", "-de", "de--DE", "de-toolongsubtag", "de DE", "dé", "de-x", "x", "de-u", "de\u{0}",
      String(repeating: "a", count: 65),
      // Subtags in another order, or once too often.
      "de-DE-AT", "de-419-DE", "en-US-GB", "de-DE-Latn", "de-Latn-Cyrl", "de-abcd1-Latn", "zh-min-nan-abc-def",
      "abcd-abc", "de-1abc-AT", "de-1996-1996", "sl-rozaj-biske-rozaj", "en-a-bbb-a-ccc", "de-u-co-phonebk-U-nu-latn",
      "de-a", "de-a-b", "de-x-", "x-", "x--a", "de-u-x-a", "de-abc1", "de-12", "abcdefghi", "d1",
    ])
  func malformed(text: String) {
    #expect(LanguageTag(parsing: text) == nil)
  }

  @Test(
    "every part of the grammar is read",
    arguments: [
      "zh-cmn-yue-abc-Hans-CN-1996-rozaj-a-bbb-cc-u-co-phonebk-x-y-1", "es-419", "de-CH-1901", "abcd-Latn-DE",
      "abcdefgh",
      "x-whatever-1", "de-x-a", "de-a-x1-x-a-a", "sl-IT-nedis", "de-0-ab", "zh-min-nan", "art-lojban", "cel-gaulish",
    ])
  func grammar(tag: String) {
    #expect(LanguageTag(parsing: tag)?.text == tag.lowercased())
  }

  @Test(
    "look-up drops subtags from the end, and singletons with them (RFC 4647 3.4)",
    arguments: [
      ("de", ["de"]), ("zh-Hant-TW", ["zh-hant-tw", "zh-hant", "zh"]), ("zh_Hant_TW", ["zh-hant-tw", "zh-hant", "zh"]),
      (
        "zh-Hant-CN-x-private1-private2",
        ["zh-hant-cn-x-private1-private2", "zh-hant-cn-x-private1", "zh-hant-cn", "zh-hant", "zh"]
      ),
      ("de-DE-u-co-phonebk", ["de-de-u-co-phonebk", "de-de-u-co", "de-de", "de"]),
    ])
  func lookup(tag: String, ranges: [String]) throws {
    #expect(try #require(LanguageTag(parsing: tag)).lookupRange == ranges)
  }

  @Test(
    "a device gets the best match for its language, else the base text",
    arguments: [
      ("zh-Hant-TW", "zh-hant"), ("zh-Hant", "zh-hant"), ("zh-TW", "zh"), ("ZH", "zh"), ("de-AT", "de-at"),
      ("de-CH", "de"),
      ("fr", "base"), ("zha", "base"), ("und", "base"), ("d", nil),
    ] as [(String, String?)])
  func best(language: String, expected: String?) throws {
    let localized = ["zh-hant", "zh", "de-at", "de"].map { (language: $0, payload: Array($0.utf8)) }
    let payloads = RenderedPayloads(base: Array("base".utf8), localized: localized)
    let match = LanguageTag(parsing: language).map { String(decoding: payloads.best(for: $0), as: UTF8.self) }
    #expect(match == expected)
  }

  @Test("without localizations everyone gets the base text")
  func noLocalizations() {
    #expect(RenderedPayloads(base: [1], localized: []).best(for: .undetermined) == [1])
  }
}
