import KitsCore
import Testing

struct IdentityKeyIDTests {
  @Test(
    "A key id is 1 to 64 letters, digits, dots, underscores and hyphens (SEC-K7)",
    arguments: [
      "a", "2026-11", "A.b_c-9", "...", ".a", "a.", String(repeating: "k", count: 64),
    ])
  func good(_ text: String) {
    #expect(IdentityKeyID(text)?.text == text)
  }

  @Test(
    "What would mean something else in a path or isn't plain ASCII is no key id",
    arguments: [
      "", ".", "..", "kits_sk_a", "kits_", "a/b", "a b", "a%2Fb", "a\\b", "é", "a\n", "a\0", "ａ", "a+b", "a=b",
      "\u{212A}",
      String(repeating: "k", count: 65),
    ])
  func bad(_ text: String) {
    #expect(IdentityKeyID(text) == nil)
  }
}
