/// The migrator's own bookkeeping, the only SQL in this target.
extension Migrator {
  static let tableSQL = """
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version bigint PRIMARY KEY,
      name text NOT NULL,
      sha256 text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now(),
      ms bigint NOT NULL
    )
    """
}

/// One lock per database: advisory locks don't reach into others.
struct TryMigrationLock: Statement {
  static let sql = "SELECT pg_try_advisory_lock(hashtextextended('schema_migrations', 0))"
  func bind(to parameters: inout Parameters) {}
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

struct FindMigrationTable: Statement {
  static let sql = "SELECT to_regclass('schema_migrations') IS NOT NULL"
  func bind(to parameters: inout Parameters) {}
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

struct SelectNewestMigration: Statement {
  static let sql = "SELECT coalesce(max(version), 0) FROM schema_migrations"
  func bind(to parameters: inout Parameters) {}
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.int64() }
}

struct SelectMigrations: Statement {
  struct Row: Sendable {
    let version: Int64
    let sha256: String
  }

  static let sql = "SELECT version, sha256 FROM schema_migrations ORDER BY version"
  func bind(to parameters: inout Parameters) {}
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    Row(version: try row.int64(), sha256: try row.string())
  }
}

/// PostgreSQL hashes, so this target needs no crypto library.
struct HashTexts: Statement {
  static let sql = """
    SELECT encode(sha256(u.text), 'hex')
    FROM unnest($1) WITH ORDINALITY u(text, ord)
    ORDER BY u.ord
    """
  let texts: [[UInt8]]
  func bind(to parameters: inout Parameters) { parameters.add(texts) }
  static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.string() }
}

/// Tells whether a migration's text ended the transaction and began another.
struct SelectTransaction: Statement {
  static let sql = "SELECT pg_current_xact_id()::text"
  func bind(to parameters: inout Parameters) {}
  static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.string() }
}

struct FindInvalidIndex: Statement {
  static let sql = "SELECT true FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid"
  let name: String
  func bind(to parameters: inout Parameters) { parameters.add(name) }
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

struct InsertMigration: Statement {
  typealias Row = NoRow
  static let sql = "INSERT INTO schema_migrations (version, name, sha256, ms) VALUES ($1, $2, $3, $4)"
  let version: Int64
  let name: String
  let sha256: String
  let milliseconds: Int64

  init(_ migration: Migration, _ sha256: String, milliseconds: Int) {
    version = Int64(migration.version)
    name = migration.name
    self.sha256 = sha256
    self.milliseconds = Int64(milliseconds)
  }

  func bind(to parameters: inout Parameters) {
    parameters.add(version)
    parameters.add(name)
    parameters.add(sha256)
    parameters.add(milliseconds)
  }
}
