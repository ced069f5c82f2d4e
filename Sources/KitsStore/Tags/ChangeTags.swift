import KitsCore
import Postgres

/// Applies a set of changes of tags, at most one of each installation, and lists keys that nobody had set before. Locks
/// come first and in order; what is locked elsewhere answers busy. What changes nothing writes nothing.
struct ChangeTags: Statement {
  let changes: [TagChange]

  enum Row: Sendable {
    case answer(Int, TagChange.Answer)
    case busy(Int)
  }

  private static let wishes = """
    r AS MATERIALIZED (
      SELECT *
      FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::uuid[], $5::jsonb[])
        WITH ORDINALITY AS u (app_no, installation_no, generation, expected, patch, ord)
    ),
    t AS MATERIALIZED (
      SELECT r.ord, r.generation AS asked_generation, r.expected, jsonb_strip_nulls(r.patch) AS given, i.app_no,
        i.installation_no, i.generation, i.collection_enabled, i.collection, i.binding_id, i.binding_number,
        i.external_id, i.verified, i.binding_changed_at, i.tags AS before,
        jsonb_strip_nulls(i.tags || r.patch) AS after
      FROM r
      JOIN installation i USING (app_no, installation_no)
      ORDER BY i.app_no, i.installation_no
      FOR NO KEY UPDATE OF i SKIP LOCKED
    )
    """

  /// Removing collects nothing, so it needs no consent.
  private static let decisions = """
    d AS MATERIALIZED (
      SELECT t.*,
        CASE
          WHEN t.generation <> t.asked_generation THEN 6
          WHEN t.given <> '{}'
            AND (NOT t.collection_enabled OR t.collection & \(CollectionConsent.Features.users.rawValue) = 0) THEN 3
          WHEN t.binding_id <> t.expected THEN 2
          WHEN t.given <> '{}' AND (SELECT count(*) FROM jsonb_object_keys(t.after)) > \(Limits.tags) THEN 4
          WHEN t.given <> '{}' AND (
            SELECT sum(octet_length(e.key) + octet_length(e.value)) FROM jsonb_each_text(t.after) e
          ) > \(Limits.tagsBytes) THEN 5
          ELSE 1
        END::smallint AS status
      FROM t
    )
    """

  private static let catalogue = TagKeySQL.catalogue(of: "SELECT d.app_no, d.given FROM d WHERE d.status = 1")

  static let sql = """
    WITH \(wishes),
    \(decisions),
    x AS (
      UPDATE installation i
      SET tags = d.after, updated_at = now()
      FROM d
      WHERE d.status = 1 AND d.after <> d.before AND i.app_no = d.app_no AND i.installation_no = d.installation_no
    ),
    \(catalogue)
    SELECT (r.ord - 1)::integer,
      CASE
        WHEN d.status IS NOT NULL THEN d.status
        WHEN EXISTS (
          SELECT FROM installation x WHERE x.app_no = r.app_no AND x.installation_no = r.installation_no
        ) THEN 7::smallint
        ELSE 6::smallint
      END,
      d.after, d.binding_id, d.binding_number, d.external_id, d.verified, d.binding_changed_at
    FROM r
    LEFT JOIN d USING (ord)
    ORDER BY r.ord
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(changes.map(\.app.value))
    parameters.add(changes.map(\.installation.value))
    parameters.add(changes.map(\.generation))
    parameters.add(changes.map(\.expectedBinding.uuid))
    parameters.add(jsons: changes.map { TagsJSON.encode(setting: $0.values, removing: $0.removed) })
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let index = Int(try row.int32())
    switch try row.int16() {
    case 1: return .answer(index, .tags(TagsJSON.decode(try row.json())))
    case 2:
      _ = try row.json()
      return .answer(index, .bindingChanged(try InstallationRow.decodeBinding(&row)))
    case 3: return .answer(index, .collectionOff)
    case 4: return .answer(index, .tooMany)
    case 5: return .answer(index, .tooLarge)
    case 6: return .answer(index, .tokenInvalid)
    default: return .busy(index)
    }
  }
}
