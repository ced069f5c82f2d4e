import Crypto
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

@Suite("What a node keeps of apps and keys")
struct IdentityDirectoryTests {
  @Test("A full cache lets go of what came first")
  func bounds() {
    var cache = FIFOCache<Int, Int>(capacity: 3)
    for number in 1...5 { cache.insert(number * 10, for: number) }
    cache.insert(51, for: 5)
    #expect((1...5).map { cache[$0] } == [nil, nil, 30, 40, 51])
    #expect(cache.count == 3)
    for number in 6...8 { cache.insert(number, for: number) }
    #expect((3...8).map { cache[$0] } == [nil, nil, nil, 6, 7, 8])
  }

  @Test("A key that isn't found isn't kept, so it is there as soon as it is registered")
  func unknownKeys() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let next = TokenForge()
    let token = try scene.token("alice", keyID: "later", by: next)
    #expect(try await device.login(token: token).outcome == "401 IDENTITY_TOKEN_INVALID")
    try await scene.add(next.key.publicKey, as: "later")
    #expect(try await device.login(token: token).outcome == "200 bound: alice verified #2")
  }

  @Test("Unknown keys and apps fill nothing; known ones are asked for once")
  func filling() async throws {
    let scene = try await IdentityScene.make(.verified)
    let directory = IdentityDirectory(store: IdentityStore(pool: scene.running.pool))
    let app = AppNumber(
      try await scene.running.count("SELECT app_no FROM app WHERE app_id = '\(scene.tenant.app.text)'"))
    let home = try #require(try await directory.home(of: app))
    #expect(home.id == scene.tenant.app)
    #expect(try await directory.home(of: AppNumber(-1)) == nil)
    #expect(try await directory.key("no such", of: home.environment) == nil)
    let key = try await directory.key(IdentityScene.keyID, of: home.environment)
    #expect(key == scene.forge.key.publicKey)
    #expect(try await directory.key(IdentityScene.keyID, of: home.environment) == key)
    let count = await directory.count
    #expect(count.homes == 1 && count.keys == 1)
  }
}
