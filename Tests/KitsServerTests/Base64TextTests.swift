import Testing

@testable import KitsServer

@Suite("Strict base64")
struct Base64TextTests {
  @Test(
    "Text decodes to its bytes",
    arguments: [("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Pz8/", "???")])
  func decodes(text: String, plain: String) {
    #expect(Base64Text.decode(text[...]) == Array(plain.utf8))
  }

  @Test(
    "Anything not canonical is refused",
    arguments: ["", "Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zm9v\n", "Z===", "Zm-_", "=Zm9"])
  func refuses(text: String) {
    #expect(Base64Text.decode(text[...]) == nil)
  }
}
