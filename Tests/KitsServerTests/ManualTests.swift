import Foundation
import Postgres
import TestSupport
import Testing

@testable import KitsServer

@Suite("The operations manual")
struct ManualTests {
  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(TestCluster.repository)/\(path)", encoding: .utf8)
  }

  @Test("Every setting is in the manual and in the example")
  func settings() throws {
    let manual = try Self.text("docs/operations.md")
    let example = try Self.text("deploy/kits.env.example")
    for variable in Variable.allCases {
      #expect(manual.contains("`\(variable.name)`"), "\(variable)")
      #expect(example.contains("\n\(variable.name)=") || example.contains("\n#\(variable.name)="), "\(variable)")
    }
  }

  /// Everything that a node registers.
  static func registry() -> MetricsRegistry {
    let telemetry = Telemetry(level: .error)
    let registry = telemetry.metrics
    ProcessMetrics.register(in: registry)
    _ = (
      DatabaseMetrics(registry), DeliveryMetrics(registry), APNsMetrics(registry), APIMetrics(registry),
      BacklogMetrics(registry), WebhookMetrics(registry)
    )
    DatabaseMetrics.observe([("api", ConnectionPool(PoolConfiguration(url: "postgresql://h/d")))], in: registry)
    return registry
  }

  @Test("Every metric is in the manual, with its labels")
  func metrics() throws {
    let registry = Self.registry()
    let manual = try Self.text("docs/operations.md")
    for entry in registry.snapshot() where !entry.name.hasPrefix("process_") {
      let labels: [String] =
        switch entry.source {
        case .counter(let family): family.labels
        case .gauge(let family): family.labels
        case .histogram(let family): family.labels
        case .observedGauges(let label, _): [label]
        case .observedCounter, .observedGauge: []
        }
      let name = labels.isEmpty ? entry.name : "\(entry.name){\(labels.joined(separator: ","))}"
      #expect(manual.contains("`\(name)`"), "\(name)")
    }
  }

  @Test("Every table of the schema is in the manual with what bounds it")
  func tables() async throws {
    let manual = try Self.text("docs/operations.md")
    let section = try #require(manual.components(separatedBy: "## Retention\n").last)
    try await withDatabase { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      let statement = DynamicStatement<String>(
        name: "tables",
        sql: """
          SELECT c.relname::text
          FROM pg_class c
          WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace AND NOT c.relispartition
          """,
        parameters: Parameters()
      ) { (row) throws(PostgresError) in try row.string() }
      let tables = try await pool.run(statement)
      await pool.close()
      #expect(tables.count >= 18)
      for table in tables { #expect(section.contains("`\(table)`"), "\(table)") }
    }
  }
}
