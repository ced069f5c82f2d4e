import Crypto
import KitsAPI
import Testing

@Suite("The text of identity tokens")
struct IdentityEncodingTests {
  private let forge = TokenForge()

  @Test(
    "SEC-J22: padding, the other alphabet, white space and escapes are refused, wherever they are",
    arguments: ["=", "==", "+", "/", " ", "\t", "\n", "\r\n", "%2E", "\0", "é", "\u{2028}", ",", "{", "\"", "~"])
  func foreignCharacters(_ text: String) throws {
    let token = try forge.token()
    let parts = token.split(separator: ".").map(String.init)
    #expect(forge.rejection(of: text + token) == .badCharacter)
    #expect(forge.rejection(of: token + text) == .badCharacter)
    for part in 0..<3 {
      var changed = parts
      changed[part] += text
      #expect(forge.rejection(of: changed.joined(separator: ".")) == .badCharacter)
      changed[part] = parts[part].prefix(8) + text + parts[part].dropFirst(8)
      #expect(forge.rejection(of: changed.joined(separator: ".")) == .badCharacter)
    }
  }

  @Test("SEC-J23: a token has one text: bits left over at the end of a part are zero")
  func trailingBits() throws {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    // Parts of all three lengths modulo 3, so that each can have bits left over.
    for spaces in 0..<3 {
      let padding = String(repeating: " ", count: spaces)
      let token = try forge.token(header: TokenForge.header + padding, claims: TokenForge.claims() + padding)
      let parts = token.split(separator: ".").map(String.init)
      for part in 0..<3 {
        for last in alphabet where parts[part].last != last {
          var changed = parts
          changed[part] = parts[part].dropLast() + String(last)
          #expect(forge.rejection(of: changed.joined(separator: ".")) != nil)
        }
      }
      let last = try #require(parts[2].last.flatMap { alphabet.firstIndex(of: $0) })
      let other = token.dropLast() + String(alphabet[last + 1])
      #expect(forge.rejection(of: String(other)) == .badEncoding)
    }
  }

  @Test("SEC-J24: there are three parts, none of them empty, and no more")
  func parts() throws {
    let token = try forge.token()
    let parts = token.split(separator: ".").map(String.init)
    let unsigned = parts[0] + "." + parts[1]
    for text in ["", "a", parts[0], unsigned, token + ".", "." + token, token + ".a", "a.b.c.d.e", "....", "."] {
      #expect(forge.rejection(of: text) == .notThreeParts, "\(text.prefix(12))")
    }
    #expect(forge.rejection(of: parts[0] + ".." + parts[2]) == .claimsMalformed)
    #expect(forge.rejection(of: "." + parts[1] + "." + parts[2]) == .headerMalformed)
    #expect(forge.rejection(of: parts[0] + ".." + parts[1] + "." + parts[2]) == .notThreeParts)
    #expect(forge.rejection(of: "..") == .signatureLengthWrong)
  }

  @Test("SEC-J25: what is longer than a token is refused by its length, before anything is decoded")
  func sizes() throws {
    let million = String(repeating: ".", count: 1_000_000)
    #expect(forge.rejection(of: million) == .tooLong)
    #expect(forge.rejection(of: String(repeating: "A", count: 1_000_000)) == .tooLong)
    #expect(forge.rejection(of: try forge.token() + million) == .tooLong)
    #expect(IdentityToken.readableExternalID(million) == nil)
  }

  @Test("SEC-J25: a token of exactly the limit is read, one byte more isn't")
  func sizeLimit() throws {
    func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
    let padding = (8192 - (try forge.token()).utf8.count) * 3 / 4
    var lengths: Set<Int> = []
    // No single part of Base64url can have every length, two together can.
    for inHeader in 0..<3 {
      for inClaims in padding - 6...padding + 3 {
        let token = try forge.token(
          header: TokenForge.header + spaces(inHeader), claims: TokenForge.claims() + spaces(inClaims))
        #expect((forge.rejection(of: token) == nil) == (token.utf8.count <= 8192))
        lengths.insert(token.utf8.count)
      }
    }
    #expect(lengths.isSuperset(of: [8191, 8192, 8193]))
  }

  @Test("SEC-J26: the JSON serializations of JWS are refused")
  func jsonSerializations() throws {
    let parts = try forge.token().split(separator: ".")
    let flattened = #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#
    let general =
      #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#
    #expect(forge.rejection(of: flattened) == .badCharacter)
    #expect(forge.rejection(of: general) == .badCharacter)
    let mixed = #"{".":"\#(parts[0]).\#(parts[1]).\#(parts[2])"}"#
    #expect(forge.rejection(of: mixed) == .badCharacter)
  }

  @Test("SEC-J27: a token inside a token is refused")
  func nested() throws {
    let inner = try forge.token()
    #expect(try forge.rejection(claims: inner) == .claimsMalformed)
    #expect(try forge.rejection(claims: "\"\(inner)\"") == .claimsMalformed)
    #expect(try forge.rejection(header: #"{"alg":"ES256","kid":"key-1","cty":"JWT"}"#, claims: inner) != nil)
  }
}
