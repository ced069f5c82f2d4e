import FoundationEssentials
import TestSupport
import Testing

struct SchemaFileTests {
  @Test("db/schema.sql is what the migrations make; `make schema` writes it")
  func isFresh() async throws {
    let written = try String(contentsOfFile: TestCluster.repository + "/db/schema.sql", encoding: .utf8)
    try await withDatabase { url in
      let dump = Shell.run([TestCluster.repository + "/db/dump", url])
      #expect(dump.status == 0)
      #expect(dump.text == written)
    }
  }
}
