import JSON
import TestSupport
import Testing

@testable import KitsServer

@Suite("Imported installations and the devices behind them")
struct ImportedDeviceTests {
  static let token = String(repeating: "ab", count: 32)
  static let other = String(repeating: "cd", count: 32)

  static func imported(_ server: RunningServer, _ text: String) async throws -> KitsProcess.Ending {
    try await ImportScene.file(text) { path in
      try await KitsProcess(
        ["import", "installations", path, "--app", server.tenant.appID, "--json"], environment: server.environment
      ).ending()
    }
  }

  static func texts(_ sql: String, _ server: RunningServer) async throws -> [String] {
    try await ImportScene.texts(sql, server.databaseURL)
  }

  static let rows = """
    SELECT concat_ws('|', i.push_token, i.external_id, i.tags, o.installation_no IS NOT NULL)
    FROM installation i
    LEFT JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
    ORDER BY i.installation_no
    """

  @Test("What a device has registered stays: a file about it changes nothing")
  func deviceFirst() async throws {
    try await withServer { server in
      _ = try await server.register(token: Self.token)
      let before = try await Self.texts("SELECT i::text FROM installation i", server)
      let ending = try await Self.imported(server, "push_token,external_id,tags.a\n\(Self.token),user-1,x\n")
      #expect(ending.standardOutput.contains(#""imported":0,"existing":1"#))
      #expect(try await Self.texts("SELECT i::text FROM installation i", server) == before)
    }
  }

  @Test("An imported installation gets messages; once its device registers, that one does, as nobody (K4)")
  func importFirst() async throws {
    try await withServer { server in
      let text = "push_token,external_id,tags.a\n\(Self.token),user-1,x\n\(Self.other),user-2,y\n"
      #expect(try await Self.imported(server, text).status == 0)
      let first = try await server.settled(
        try await server.send(#"{"target": {"external_ids": ["user-1"]}, "title": "Hello"}"#))
      #expect(first["ledger"]?.object?["accepted"]?.integer == 1)

      _ = try await server.register(token: Self.token)
      #expect(
        try await Self.texts(Self.rows, server)
          == [
            "\(Self.token)|user-1|{\"a\": \"x\"}|f", "\(Self.other)|user-2|{\"a\": \"y\"}|t", "\(Self.token)|{}|t",
          ])
      let second = try await server.settled(
        try await server.send(#"{"target": {"external_ids": ["user-1"]}, "title": "Hello"}"#))
      #expect(second["ledger"]?.object?["accepted"]?.integer == 0)
      let all = try await server.settled(
        try await server.send(#"{"target": {"everyone": true}, "title": "Hello"}"#))
      #expect(all["ledger"]?.object?["accepted"]?.integer == 2)
    }
  }
}
