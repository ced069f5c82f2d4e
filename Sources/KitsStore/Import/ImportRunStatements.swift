import JSON
import KitsCore
import Postgres

struct FindImportTarget: Statement {
  let app: AppID

  static let sql = """
    SELECT a.app_no, a.environment_no, a.platforms, e.auth_mode, now()
    FROM app a
    JOIN environment e USING (environment_no)
    WHERE a.app_id = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ImportTarget {
    ImportTarget(
      app: AppNumber(try row.int64()), environment: EnvironmentNumber(try row.int64()),
      platforms: try row.int16Array().compactMap(Platform.init(rawValue:)), authMode: try row.known(AuthMode.self),
      now: Timestamp(microseconds: try row.timestamp()))
  }
}

struct FindImportRun: Statement {
  let app: AppNumber
  let fileHash: [UInt8]

  static let sql = """
    SELECT r.file_hash, r.settings, r.position, r.line, r.read, r.imported, r.existing, r.skipped, r.refused, r.erased,
      r.faults::text, r.finished_at IS NOT NULL
    FROM import_run r
    WHERE r.app_no = $1 AND r.file_hash = $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(fileHash)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ImportRun {
    let (hash, settings) = (try row.bytes(), try row.string())
    let (position, line) = (try row.int64(), try row.int64())
    var tally = ImportTally()
    tally.rows = try row.int64()
    tally.imported = try row.int64()
    tally.existing = try row.int64()
    tally.skipped = try row.int64()
    tally.refused = try row.int64()
    tally.erased = try row.int64()
    let faults = try ImportFaultsJSON.decode(try row.string())
    return ImportRun(
      fileHash: hash, settings: settings, position: position, line: line, tally: tally, faults: faults,
      isFinished: try row.bool())
  }
}

/// Begins a file, or begins it again from its start. Runs that nobody has touched for 90 days are forgotten on the way.
struct BeginImportRun: Statement {
  let target: ImportTarget
  let run: ImportRun
  let call: AuditedCall

  static let sql = """
    WITH old AS (
      DELETE FROM import_run r
      WHERE r.app_no = $1 AND r.updated_at < now() - interval '90 days' AND r.file_hash <> $2
    ),
    r AS (
      INSERT INTO import_run AS r (app_no, file_hash, settings)
      VALUES ($1, $2, $3)
      ON CONFLICT (app_no, file_hash) DO UPDATE
        SET settings = excluded.settings, position = 0, line = 0, read = 0, imported = 0, existing = 0, skipped = 0,
          refused = 0, erased = 0, faults = '{}', started_at = now(), updated_at = now(), finished_at = NULL
      RETURNING r.app_no, r.file_hash, r.settings
    ),
    \(audit)
    SELECT
    FROM r
    """

  private static let audit = AuditSQL.insert(
    from: "r JOIN app a USING (app_no)", first: 4, environment: "a.environment_no", target: (.app, "a.app_id::text"),
    changes: """
      jsonb_build_object('file', jsonb_build_array(NULL, encode(r.file_hash, 'hex')),
        'settings', jsonb_build_array(NULL, r.settings))
      """)

  func bind(to parameters: inout Parameters) {
    parameters.add(target.app.value)
    parameters.add(run.fileHash)
    parameters.add(run.settings)
    AuditSQL.bind(call, to: &parameters)
  }

  typealias Row = NoRow
}

/// Writes down how far a run is. Nothing when somebody else has moved it meanwhile.
struct AdvanceImportRun: Statement {
  let target: ImportTarget
  let run: ImportRun
  /// Where it was.
  let from: Int64

  static let sql = """
    UPDATE import_run r
    SET position = $4, line = $5, read = $6, imported = $7, existing = $8, skipped = $9, refused = $10, erased = $11,
      faults = $12, updated_at = now(), finished_at = CASE WHEN $13 THEN now() END
    WHERE r.app_no = $1 AND r.file_hash = $2 AND r.position = $3 AND r.finished_at IS NULL
    RETURNING true
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(target.app.value)
    parameters.add(run.fileHash)
    parameters.add(from)
    parameters.add(run.position)
    parameters.add(run.line)
    parameters.add(run.tally.rows)
    parameters.add(run.tally.imported)
    parameters.add(run.tally.existing)
    parameters.add(run.tally.skipped)
    parameters.add(run.tally.refused)
    parameters.add(run.tally.erased)
    parameters.add(json: ImportFaultsJSON.encode(run.faults))
    parameters.add(run.isFinished)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}
