internal import Foundation
package import Postgres

/// A database of one test, made from a template that was migrated once per process.
package struct TestDatabase: Sendable {
  package let name: String
  package let url: String

  /// nil: the product's own migrations (`db/migrations`), when there are any; an empty list: an empty database.
  package static func make(migrations: [Migration]? = nil) async throws -> TestDatabase {
    let name = "kits_test_" + UUID().uuidString.replacing("-", with: "").lowercased().prefix(16)
    let database = TestDatabase(name: name, url: try url(of: name))
    if let migrations {
      try await administer("CREATE DATABASE \(name) TEMPLATE template0")
      if !migrations.isEmpty { _ = try await Migrator(url: database.url, migrations: migrations).migrate() }
    } else {
      try await administer("CREATE DATABASE \(name) TEMPLATE \(try await template.value)")
    }
    return database
  }

  package func drop() async throws { try await Self.administer("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }

  /// Made once; every process has its own, so that two checkouts can share one server.
  private static let template = Task {
    let directory = TestCluster.repository + "/db/migrations"
    guard FileManager.default.fileExists(atPath: directory) else { return "template0" }
    let name = "kits_template_" + UUID().uuidString.replacing("-", with: "").lowercased().prefix(16)
    try await administer("CREATE DATABASE \(name) TEMPLATE template0")
    _ = try await Migrator(url: url(of: name), migrations: Migration.load(from: directory)).migrate()
    return name
  }

  private static func administer(_ sql: String) async throws {
    var configuration = PoolConfiguration(url: try TestCluster.shared)
    configuration.size = 1
    configuration.statementTimeout = .seconds(60)
    let pool = ConnectionPool(configuration)
    do {
      try await pool.script(sql)
    } catch {
      await pool.close()
      throw error
    }
    await pool.close()
  }

  /// The shared URL with another database's name in its path.
  private static func url(of name: String) throws -> String {
    let url = try TestCluster.shared
    let question = url.firstIndex(of: "?") ?? url.endIndex
    let start = url.range(of: "//").map(\.upperBound) ?? url.startIndex
    let slash = url[start..<question].lastIndex(of: "/") ?? question
    return url[..<slash] + "/" + name + url[question...]
  }
}

/// Runs a test with a database of its own, migrated like the product's, and drops it afterwards.
///
/// - Parameter isConserved: no message may break what must be true of all (`Conservation`); false for tests that break
///   it themselves, and for those that put made-up events into the tables.
package func withDatabase<R>(
  migrations: [Migration]? = nil, isConserved: Bool = true, _ body: (_ url: String) async throws -> R
) async throws -> R {
  let database = try await TestDatabase.make(migrations: migrations)
  let result: Result<R, any Error>
  do {
    let value = try await body(database.url)
    let breaches = migrations == nil && isConserved ? try await Conservation.breaches(of: database.url) : []
    guard breaches.isEmpty else { throw TestFailure("not conserved: \(breaches.joined(separator: ", "))") }
    result = .success(value)
  } catch {
    result = .failure(error)
  }
  try await database.drop()
  return try result.get()
}
