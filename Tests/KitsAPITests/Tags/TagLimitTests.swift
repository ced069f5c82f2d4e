import KitsCore
import Testing

@testable import KitsAPI

@Suite("Limits of tags hold at their edges")
struct TagLimitTests {
  private static func text(_ bytes: Int) -> String { String(repeating: "v", count: bytes) }

  private static func tags(_ count: Int, from first: Int = 0, value: String = "1") -> [String: String] {
    Dictionary(uniqueKeysWithValues: (first..<first + count).map { ("k\($0)", value) })
  }

  @Test("64 tags, counted after the change; what is full still takes another value, and removing makes room")
  func count() async throws {
    let device = try await Tenant.make().device()
    #expect(try await device.tag(Self.tags(60)).status == 200)
    #expect(try await device.tag(Self.tags(4, from: 60)).status == 200)
    let full = try await device.tags()
    #expect(full.count == Limits.tags)
    let beyond = try await device.tag(["more": "1"])
    #expect(beyond.status == 422 && beyond.code == "BODY_INVALID" && beyond.faults == ["/set TOO_MANY"])
    #expect(try await device.tags() == full)
    #expect(try await device.tag(["k0": "2"]).status == 200)
    #expect(try await device.tag(["more": "1"], remove: ["k0"]).status == 200)
    #expect(try await device.tags().count == Limits.tags)
  }

  @Test("64 members of a change, each list by itself")
  func members() async throws {
    let device = try await Tenant.make().device()
    let names = (0..<65).map { "r\($0)" }
    #expect(try await device.tag(Self.tags(64), remove: Array(names.prefix(64))).status == 200)
    let beyond = try await device.tag(Self.tags(65), remove: names)
    #expect(beyond.faults == ["/set TOO_MANY", "/remove TOO_MANY"])
  }

  @Test("64 bytes of a key and 256 of a value")
  func bytes() async throws {
    let device = try await Tenant.make().device()
    let key = Self.text(Limits.tagKeyBytes)
    #expect(try await device.tag([key: Self.text(Limits.tagValueBytes)]).status == 200)
    #expect(try await device.tag(["e": String(repeating: "é", count: 128)]).status == 200)
    #expect(try await device.tag([key + "v": ""]).faults == ["/set/\(key)v BAD_FORMAT"])
    #expect(try await device.tag(["": ""]).faults == ["/set/ BAD_FORMAT"])
    #expect(try await device.tag(["k": Self.text(257)]).faults == ["/set/k TOO_LONG"])
    #expect(try await device.tag(["e": String(repeating: "é", count: 128) + "x"]).faults == ["/set/e TOO_LONG"])
    #expect(try await device.tag([:], remove: [key + "v"]).faults == ["/remove/0 BAD_FORMAT"])
  }

  @Test("8,192 bytes of keys and values together")
  func total() async throws {
    let device = try await Tenant.make().device()
    // 31 times 4 + 256, and one of 132.
    var values = Dictionary(uniqueKeysWithValues: (0..<31).map { ("k\(100 + $0)", Self.text(256)) })
    values["rest"] = String(repeating: "é", count: 64)
    #expect(values.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } == Limits.tagsBytes)
    #expect(try await device.tag(values).status == 200)
    let beyond = try await device.tag(["rest": String(repeating: "é", count: 64) + "x"])
    #expect(beyond.status == 422 && beyond.faults == ["/set TOO_LONG"])
    #expect(try await device.tag(["x": ""]).faults == ["/set TOO_LONG"])
    #expect(try await device.tags() == values)
    #expect(try await device.tag(["x": ""], remove: ["rest"]).status == 200)
  }
}
