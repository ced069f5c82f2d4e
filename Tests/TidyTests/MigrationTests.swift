import Testing

@Suite struct MigrationTests {
  /// Tables about apps, not of one: their key *is* the app's number, or comes before an app is known.
  static let aboutApps: Set<String> = ["app"]

  static func findings(_ files: [SourceFile]) -> [Finding] {
    let migrations = files.map { ($0, Migration($0.text)) }
    let tables = migrations.reduce(into: [String: Set<String>]()) { $0.merge($1.1.tables) { $0.union($1) } }
    return migrations.flatMap { file, migration in
      migration.keys.filter { key in
        tables[key.table, default: []].contains("app_no") && !aboutApps.contains(key.table)
          && key.columns.first != "app_no"
      }.map { file.finding($0.line - 1, "a unique key of \($0.table) doesn't start with app_no: \($0.columns)") }
    }
  }

  @Test("Every unique key of a table per app starts with app_no, so that the schema can be distributed")
  func keysStartWithTheApp() throws {
    expectNone(Self.findings(try SourceTree.files("db/migrations", suffixes: [".sql"])))
  }

  @Test("Migrations are named by number and purpose, without gaps")
  func names() throws {
    let names = try SourceTree.files("db/migrations", suffixes: [".sql"]).map(\.name)
    for (index, name) in names.enumerated() {
      let number = name.prefixMatch(of: #/(\d{4})_[a-z0-9_]+\.sql/#).flatMap { Int($0.output.1) }
      #expect(number == index + 1, "\(name)")
    }
  }

  @Test(
    "A key that doesn't start with app_no is found wherever it is written",
    arguments: [
      ("CREATE TABLE a (app_no bigint, b uuid UNIQUE, PRIMARY KEY (app_no, b));", [1]),
      ("CREATE TABLE a (\n  app_no bigint,\n  b numeric(1, 2),\n  CONSTRAINT c PRIMARY KEY (b, app_no)\n);", [3]),
      ("CREATE TABLE a (app_no bigint, b int); -- UNIQUE (b)\nCREATE UNIQUE INDEX c ON a (b) WHERE b > 0;", [2]),
      ("CREATE TABLE a (app_no bigint, b int);\nALTER TABLE a ADD CONSTRAINT c UNIQUE (b);", [2]),
      ("CREATE TABLE a (b int PRIMARY KEY); CREATE TABLE app (app_no bigint PRIMARY KEY, c uuid UNIQUE);", []),
      ("CREATE TABLE a (app_no bigint, b int, UNIQUE (app_no, b)) PARTITION BY RANGE (b);", []),
    ])
  func rule(sql: String, lines: [Int]) {
    let found = Self.findings([SourceFile(path: "db/migrations/0001_a.sql", text: sql)])
    #expect(found.map(\.line) == lines)
  }
}
