import KitsCore
import Testing

@Suite("External ids")
struct ExternalIDTests {
  @Test(
    "An id is kept as it is",
    arguments: [
      "a", "alice", " alice", "alice@example.com", "用户", "👩‍👩‍👧", "a b", "e\u{301}", "\u{212A}", "../../etc", "'; --",
      String(repeating: "é", count: 128),
    ])
  func accepted(_ text: String) {
    #expect(ExternalID(text).map { Array($0.text.utf8) } == Array(text.utf8))
  }

  @Test(
    "What can't name a user is refused with its reason (SEC-J37)",
    arguments: [
      ("", .empty), (String(repeating: "a", count: 257), .tooLong),
      (String(repeating: "é", count: 128) + "a", .tooLong),
      ("a\0b", .controlCharacter), ("\n", .controlCharacter), ("a\r\nb", .controlCharacter),
      ("a\u{7F}", .controlCharacter), ("\u{85}", .controlCharacter), ("\u{9F}a", .controlCharacter),
      ("\u{FEFF}a", .invisibleCharacter), ("a\u{202E}b", .invisibleCharacter), ("\u{200F}", .invisibleCharacter),
      ("\u{2067}a", .invisibleCharacter), (" ", .onlyWhiteSpace), ("\u{A0}\u{2003}\u{3000}", .onlyWhiteSpace),
    ] as [(String, ExternalID.Fault)])
  func refused(_ text: String, _ fault: ExternalID.Fault) {
    #expect(ExternalID(text) == nil)
    #expect(throws: fault) { try ExternalID(checking: text) }
  }

  @Test("Every fault has a code for a field and a sentence")
  func faults() {
    #expect(ExternalID.Fault.empty.fieldCode == .tooShort && ExternalID.Fault.tooLong.fieldCode == .tooLong)
    #expect(Set(ExternalID.Fault.allCases.map(\.detail)).count == ExternalID.Fault.allCases.count)
  }

  @Test(
    "Ids are equal when their bytes are, whatever Unicode says (SEC-J39)",
    arguments: [("\u{e9}", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}")])
  func equality(_ one: String, _ other: String) {
    #expect(one == other)
    #expect(ExternalID(one) != ExternalID(other))
    #expect(Set([ExternalID(one), ExternalID(other), ExternalID(one)]).count == 2)
  }
}
