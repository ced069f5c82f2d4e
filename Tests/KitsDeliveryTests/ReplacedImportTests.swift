import FoundationEssentials
import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@testable import KitsDelivery

@Suite("Imported installations whose device has come")
struct ReplacedImportTests {
  static func imported(_ tokens: [String]) throws -> [NewImport] {
    try tokens.map { text in
      let token = try #require(PushToken(text, platform: .ios))
      var state = DesiredState()
      state.pushToken = .set(token)
      return NewImport(
        id: InstallationID(UUID()), bindingID: BindingID(UUID()),
        installation: ImportedInstallation(
          platform: .ios, pushToken: token, state: state, externalID: ExternalID("user"), tags: [],
          sessions: ImportedInstallation.Sessions(firstAt: nil, lastAt: nil, count: 0, foregroundSeconds: 0)))
    }
  }

  @Test("They go with the next sweep; those whose device hasn't come stay, and so does everything of devices")
  func swept() async throws {
    try await World.with(installations: 2) { world in
      let imports = ImportStore(pool: world.pool)
      let target = try #require(try await imports.target(world.app.id))
      let rows = try Self.imported((10..<16).map(World.token) + [World.token(0)])
      let tally = try await imports.add(rows, in: target)
      #expect(tally.imported == 6 && tally.existing == 1)
      for number in [10, 12, 14] { _ = try await World.register(world.installations, token: World.token(number)) }
      try await world.pool.script("DELETE FROM installation WHERE push_token = '\(World.token(15))'")

      let log = RetentionTests.Log()
      var sweeper = RetentionTests.sweeper(world, log: log)
      sweeper.rowsPerStep = 2
      try await sweeper.sweep(now: try await RetentionTests.inDays(0, world))
      #expect(log.forgotten["installation"] == 3)
      let left = try await world.pool.texts(
        "SELECT push_token || coalesce(external_id, '') FROM installation ORDER BY push_token")
      #expect(
        left == [0, 1, 10].map(World.token) + [World.token(11) + "user", World.token(12)]
          + [World.token(13) + "user", World.token(14)])
      #expect(try await RetentionTests.count(world, "imported_installation") == 2)
    }
  }
}
