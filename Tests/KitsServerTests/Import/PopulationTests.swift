import KitsCore
import TestSupport
import Testing

@testable import KitsServer

@Suite("kits dev populate")
struct PopulationTests {
  @Test("The same seed makes the same installations, another one others; every token is its own")
  func deterministic() throws {
    let target = ImportText.target()
    let first = (0..<3_000).map { Population(seed: 1, target: target).installation($0) }
    #expect(first == (0..<3_000).map { Population(seed: 1, target: target).installation($0) })
    let tokens = Set(first.map(\.pushToken.text))
    #expect(tokens.count == 3_000)
    #expect(
      tokens.isDisjoint(with: (0..<3_000).map { Population(seed: 2, target: target).installation($0).pushToken.text }))
    #expect(first[0].pushToken.text == Self.firstToken)
  }

  /// Written down, so that what a seed makes stays what it is.
  static let firstToken = "f893a2eefb32555e71c18690ee42c90b71bb54d8d101b5b9c34d0bff90150280"

  @Test("Its shares are what the manual says, and every value has the form that the API asks for")
  func shares() throws {
    let people = (0..<3_000).map { Population(seed: 3, target: ImportText.target()).installation($0) }
    func share(_ condition: (ImportedInstallation) -> Bool) -> Int {
      people.count(where: condition) * 100 / people.count
    }
    #expect((1...5).contains(share { $0.pushToken.text.hasPrefix(Population.deadPrefix) }))
    #expect((74...82).contains(share { $0.state.permission == .authorized }))
    #expect((45...55).contains(share { $0.externalID != nil }))
    #expect(Set(people.compactMap(\.externalID?.text)).count < people.count { $0.externalID != nil })
    for person in people {
      #expect(PushToken(person.pushToken.text, platform: .ios) == person.pushToken)
      guard case .set(let language) = person.state.language, let first = person.sessions.firstAt,
        let last = person.sessions.lastAt
      else { return #expect(Bool(false), "\(person)") }
      #expect(LanguageTag(parsing: language.text) == language)
      #expect(first <= last && last <= ImportText.now && person.sessions.count >= 1)
    }
  }

  @Test("The command adds what is missing of the seed's, and says so")
  func command() async throws {
    try await withServer { server in
      func populate(_ words: String...) async throws -> KitsProcess.Ending {
        try await KitsProcess(
          ["dev", "populate"] + words + ["--app", server.tenant.appID], environment: server.environment
        ).ending()
      }
      let first = try await populate("6000", "--seed", "7")
      #expect(first.status == 0 && first.standardOutput == "seed      7\nadded     6000\nexisting  0\n")
      #expect(first.standardError.contains("100% 6000/6000 installations"))
      #expect(
        try await populate("6500", "--seed", "7", "--json").standardOutput
          == #"{"seed":"7","added":500,"existing":6000}"# + "\n")
      #expect(try await populate("0").status == 64)
      #expect(try await populate("5", "--seed", "-1").status == 64)
      let texts = try await ImportScene.texts(
        "SELECT (max(installation_no) <= (SELECT last_value FROM installation_no_seq))::text FROM installation",
        server.databaseURL)
      #expect(texts == ["true"])
      // A device of today has a number of its own.
      _ = try await server.register(token: ImportedDeviceTests.token)
    }
  }
}
