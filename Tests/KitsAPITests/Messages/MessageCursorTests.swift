import Crypto
import FoundationEssentials
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

@Suite("Cursors of the message list")
struct MessageCursorTests {
  private let position = MessageID(UUIDv7.make(now: 1_800_000_000_000))
  private let list = MessageSelection(environment: EnvironmentNumber(1), app: nil, state: nil, before: nil)

  private func ring(_ ids: [String], minting: String) throws -> KeyRing {
    try KeyRing(
      masterKeys: ids.map { (id: $0, secret: Array(repeating: UInt8($0.utf8.count), count: 32)) }, mintingID: minting)
  }

  @Test("a cursor reads back as its position, also after the minting key changed")
  func roundTrip() throws {
    let text = try MessageCursor(keys: ring(["a"], minting: "a")).write(position, for: list)
    #expect(MessageCursor(keys: try ring(["a"], minting: "a")).read(text, for: list) == position)
    #expect(MessageCursor(keys: try ring(["a", "bb"], minting: "bb")).read(text, for: list) == position)
    #expect(MessageCursor(keys: try ring(["bb"], minting: "bb")).read(text, for: list) == nil)
  }

  @Test("a changed bit anywhere, or a missing byte, is refused")
  func tampering() throws {
    let cursor = MessageCursor(keys: try ring(["a"], minting: "a"))
    let bytes = try #require(Base64URL.decode(cursor.write(position, for: list)))
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(cursor.read(Base64URL.encode(changed), for: list) == nil)
      #expect(cursor.read(Base64URL.encode(Array(bytes[..<index])), for: list) == nil)
    }
    #expect(cursor.read("", for: list) == nil)
    #expect(cursor.read("not base64url!", for: list) == nil)
  }

  @Test("a cursor belongs to its environment and filters")
  func binding() throws {
    let cursor = MessageCursor(keys: try ring(["a"], minting: "a"))
    let text = try cursor.write(position, for: list)
    let app = AppID(UUIDv7.make(now: 1))
    for other in [
      MessageSelection(environment: EnvironmentNumber(2), app: nil, state: nil, before: nil),
      MessageSelection(environment: EnvironmentNumber(1), app: app, state: nil, before: nil),
      MessageSelection(environment: EnvironmentNumber(1), app: nil, state: .sending, before: nil),
    ] {
      #expect(cursor.read(text, for: other) == nil)
    }
  }
}
