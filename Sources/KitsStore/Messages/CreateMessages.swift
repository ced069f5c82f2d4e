import KitsCore
import Postgres

/// Creates a set of messages: the idempotency row decides, targets are resolved, and each message gets its number.
/// A list that fits one chunk is planned right here, so that a small message waits for no planner; unless guards have
/// to be asked first.
///
/// Members of a fenced message keep the binding that they have now: whoever logs in on the device between now and
/// planning isn't meant.
///
/// A message that should live for less than a minute still gets a minute in which it is tried once.
struct CreateMessages: Statement {
  let messages: [NewMessage]

  enum Row: Sendable {
    case created(Int, CreatedMessage)
    case busy(Int)
  }

  static let sql = """
    WITH r AS MATERIALIZED (
      SELECT *
      FROM unnest(
        $1::bigint[], $2::uuid[], $3::uuid[], $4::smallint[], $5::text[], $6::smallint[], $7::smallint[],
        $8::integer[], $9::text[], $10::smallint[], $11::bytea[], $12::bytea[], $18::boolean[], $19::boolean[],
        $22::text[], $23::bigint[], $24::bigint[], $25::text[]
      ) WITH ORDINALITY AS u (
        app_no, message_id, created_by, target_kind, content, push_type, priority, ttl_seconds, collapse_id, on_unknown,
        key_hash, body_hash, verified_only, fenced, filter, max_recipients, expected_count, expected_digest, ord
      )
    ),
    asked AS MATERIALIZED (
      SELECT u.ord, u.segment_id, u.excluded
      FROM unnest($26::integer[], $27::uuid[], $28::boolean[]) AS u (ord, segment_id, excluded)
    ),
    idem AS (
      INSERT INTO idempotency_key AS k (app_no, credential, key_hash, body_hash, message_id)
      SELECT r.app_no, 1, r.key_hash, r.body_hash, r.message_id
      FROM r
      WHERE r.key_hash IS NOT NULL
      ORDER BY r.app_no, r.key_hash
      ON CONFLICT (app_no, credential, key_hash) DO UPDATE
        SET body_hash = excluded.body_hash, message_id = excluded.message_id, created_at = now()
        WHERE k.created_at <= now() - interval '30 days' OR k.message_id = excluded.message_id
      RETURNING k.app_no, k.message_id
    ),
    named AS MATERIALIZED (
      SELECT t.ord, t.place, t.installation_id, NULL::text AS external_id, i.installation_no, i.binding_number,
        i.verified
      FROM (
        SELECT u.ord, u.installation_id, min(u.place) AS place
        FROM unnest($13::integer[], $14::uuid[]) WITH ORDINALITY AS u (ord, installation_id, place)
        GROUP BY u.ord, u.installation_id
      ) t
      JOIN r ON r.ord = t.ord
      LEFT JOIN installation i ON i.app_no = r.app_no AND i.installation_id = t.installation_id
      UNION ALL
      SELECT t.ord, t.place, NULL, t.external_id, i.installation_no, i.binding_number, i.verified
      FROM (
        SELECT u.ord, u.external_id, min(u.place) AS place
        FROM unnest($20::integer[], $21::text[]) WITH ORDINALITY AS u (ord, external_id, place)
        GROUP BY u.ord, u.external_id
      ) t
      JOIN r ON r.ord = t.ord
      LEFT JOIN LATERAL (
        SELECT i.installation_no, i.binding_number, i.verified
        FROM installation i
        WHERE i.app_no = r.app_no AND i.external_id = t.external_id
        OFFSET 0
      ) i ON true
    ),
    resolved AS MATERIALIZED (
      SELECT n.ord,
        array_agg(n.installation_no ORDER BY n.installation_no) FILTER (WHERE n.is_taken) AS members,
        array_agg(n.binding_number ORDER BY n.installation_no) FILTER (WHERE n.is_taken) AS binding_nos,
        count(DISTINCT n.place)::integer AS requested,
        count(*) FILTER (WHERE n.is_missing)::integer AS unmatched_count,
        (array_agg(n.installation_id ORDER BY n.place) FILTER (WHERE n.is_missing AND n.external_id IS NULL))
          [1:\(Limits.unmatchedSample)] AS unmatched_sample,
        (array_agg(n.external_id ORDER BY n.place) FILTER (WHERE n.is_missing AND n.external_id IS NOT NULL))
          [1:\(Limits.unmatchedSample)] AS unmatched_users
      FROM (
        SELECT n.*, n.installation_no IS NULL AS is_missing,
          n.installation_no IS NOT NULL AND (n.verified OR NOT r.verified_only) AS is_taken
        FROM named n
        JOIN r USING (ord)
      ) n
      GROUP BY n.ord
    ),
    fresh AS MATERIALIZED (
      SELECT r.*, coalesce(s.members, '{}') AS members, coalesce(s.binding_nos, '{}') AS binding_nos, s.requested,
        coalesce(s.unmatched_count, 0) AS unmatched_count, coalesce(s.unmatched_sample, '{}') AS unmatched_sample,
        coalesce(s.unmatched_users, '{}') AS unmatched_users,
        ((extract(epoch FROM now()) * 1000)::bigint << 22) | nextval('message_no_seq') AS message_no,
        \(isNamed) AND coalesce(cardinality(s.members), 0) <= \(PlanPage.chunkSize) AND \(isUnguarded) AS is_small,
        coalesce(c.recipients, '{}') AS recipients, coalesce(c.production, '{}') AS production,
        coalesce(c.sandbox, '{}') AS sandbox, c.production_bindings, c.sandbox_bindings
      FROM r
      LEFT JOIN resolved s USING (ord)
      LEFT JOIN LATERAL (
        SELECT array_agg(i.installation_no) AS recipients,
          array_agg(i.installation_no ORDER BY i.installation_no) FILTER (WHERE i.apns_environment = 1) AS production,
          array_agg(i.installation_no ORDER BY i.installation_no) FILTER (WHERE i.apns_environment = 2) AS sandbox,
          array_agg(i.binding_number ORDER BY i.installation_no) FILTER (WHERE i.apns_environment = 1)
            AS production_bindings,
          array_agg(i.binding_number ORDER BY i.installation_no) FILTER (WHERE i.apns_environment = 2)
            AS sandbox_bindings
        FROM unnest(s.members) AS x (no)
        JOIN installation i ON i.app_no = r.app_no AND i.installation_no = x.no
        JOIN token_owner o
          ON o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
        WHERE i.reachable AND cardinality(s.members) <= \(PlanPage.chunkSize) AND \(isUnguarded)
      ) c ON true
      WHERE r.key_hash IS NULL
        OR EXISTS (SELECT FROM idem WHERE idem.app_no = r.app_no AND idem.message_id = r.message_id)
    ),
    msg AS (
      INSERT INTO message (
        app_no, message_id, message_no, state, target_kind, on_unknown, expires_at, unmatched_count, unmatched_sample,
        unmatched_users, requested, verified_only, fenced, plan_upto, created_by, plan_done, planned, next_chunk,
        settled, started_at, completed_at, max_recipients, expected_count, expected_digest
      )
      SELECT f.app_no, f.message_id, f.message_no,
        CASE WHEN NOT f.is_small THEN 1 WHEN f.recipients = '{}' THEN 3 ELSE 2 END, f.target_kind, f.on_unknown,
        now() + make_interval(secs => greatest(f.ttl_seconds, 60)), f.unmatched_count, f.unmatched_sample,
        f.unmatched_users, f.requested, f.verified_only, f.fenced,
        CASE
          WHEN f.target_kind IN (1, 3) THEN cardinality(f.members)
          ELSE coalesce((SELECT max(i.installation_no) FROM installation i WHERE i.app_no = f.app_no), 0)
        END,
        f.created_by, f.is_small, cardinality(f.recipients),
        (f.production <> '{}')::integer + (f.sandbox <> '{}')::integer,
        f.is_small AND f.recipients = '{}', CASE WHEN f.is_small THEN now() END,
        CASE WHEN f.is_small AND f.recipients = '{}' THEN now() END, f.max_recipients, f.expected_count,
        f.expected_digest::numeric
      FROM fresh f
      ON CONFLICT (app_no, message_id) DO NOTHING
      RETURNING app_no, message_id, message_no, created_at, expires_at, unmatched_count,
        unmatched_sample::text[] || unmatched_users AS sample
    ),
    body AS (
      INSERT INTO message_body (
        app_no, message_no, content, languages, payloads, push_type, priority, ttl_seconds, collapse_id
      )
      SELECT f.app_no, f.message_no, f.content::json, coalesce(p.languages, '{}'), p.payloads, f.push_type, f.priority,
        f.ttl_seconds, f.collapse_id
      FROM fresh f
      JOIN msg USING (app_no, message_no)
      JOIN LATERAL (
        SELECT array_agg(x.language ORDER BY x.pos) FILTER (WHERE x.language <> '') AS languages,
          array_agg(x.payload ORDER BY x.pos) AS payloads
        FROM unnest($15::integer[], $16::text[], $17::bytea[]) WITH ORDINALITY AS x (ord, language, payload, pos)
        WHERE x.ord = f.ord
      ) p ON true
    ),
    tgt AS (
      INSERT INTO message_target (app_no, message_no, members, binding_nos)
      SELECT f.app_no, f.message_no, f.members, CASE WHEN f.fenced THEN f.binding_nos END
      FROM fresh f
      JOIN msg USING (app_no, message_no)
      WHERE f.target_kind IN (1, 3) AND NOT f.is_small
    ),
    aud AS (
      INSERT INTO message_audience (app_no, message_id, filter, segments)
      SELECT f.app_no, f.message_id, f.filter::jsonb, x.count
      FROM fresh f
      JOIN msg USING (app_no, message_no)
      CROSS JOIN LATERAL (SELECT count(*)::integer FROM asked a WHERE a.ord = f.ord) AS x (count)
      WHERE f.target_kind IN (4, 5, 6) OR x.count > 0
      ON CONFLICT DO NOTHING
    ),
    seg AS (
      INSERT INTO message_segment (app_no, message_id, segment_id, excluded)
      SELECT f.app_no, f.message_id, a.segment_id, a.excluded
      FROM fresh f
      JOIN msg USING (app_no, message_no)
      JOIN asked a USING (ord)
      JOIN segment s ON s.app_no = f.app_no AND s.segment_id = a.segment_id
      ON CONFLICT DO NOTHING
    ),
    chunk AS (
      INSERT INTO message_chunk (
        app_no, message_no, chunk_no, n, lo, hi, members, binding_nos, outcomes, apns_environment
      )
      SELECT f.app_no, f.message_no, (v.apns_environment = 2 AND f.production <> '{}')::integer,
        cardinality(v.members), v.members[1], v.members[cardinality(v.members)], v.members,
        CASE WHEN f.fenced THEN v.binding_nos END,
        decode(repeat('00', cardinality(v.members)), 'hex'), v.apns_environment
      FROM fresh f
      JOIN msg USING (app_no, message_no)
      CROSS JOIN LATERAL (
        VALUES (1::smallint, f.production, f.production_bindings), (2::smallint, f.sandbox, f.sandbox_bindings)
      ) AS v (apns_environment, members, binding_nos)
      WHERE v.members <> '{}'
    ),
    found AS (
      SELECT app_no, message_id, created_at, expires_at, unmatched_count, sample FROM msg
      UNION ALL
      SELECT m.app_no, m.message_id, m.created_at, m.expires_at, m.unmatched_count,
        m.unmatched_sample::text[] || m.unmatched_users
      FROM r
      JOIN message m USING (app_no, message_id)
    )
    SELECT (r.ord - 1)::integer, m.message_id, m.created_at, m.expires_at, m.unmatched_count, m.sample
    FROM r
    LEFT JOIN found m USING (app_no, message_id)
    ORDER BY r.ord
    """

  private static let isNamed = "r.target_kind IN (1, 3)"
  private static let isUnguarded = "r.max_recipients IS NULL AND r.expected_digest IS NULL"

  func bind(to parameters: inout Parameters) {
    parameters.add(messages.map(\.app.value))
    parameters.add(messages.map(\.id.uuid))
    parameters.add(messages.map(\.createdBy.uuid))
    parameters.add(messages.map(\.target.kind.rawValue))
    parameters.add(messages.map { String(decoding: $0.contentJSON, as: UTF8.self) })
    parameters.add(messages.map(\.kind.rawValue))
    parameters.add(messages.map(\.priority.rawValue))
    parameters.add(messages.map(\.ttlSeconds))
    parameters.add(messages.map(\.collapseID))
    parameters.add(messages.map(\.onUnknown.rawValue))
    parameters.add(messages.map(\.idempotency?.keyHash))
    parameters.add(messages.map(\.idempotency?.bodyHash))
    bindInstallations(to: &parameters)
    bindPayloads(to: &parameters)
    parameters.add(messages.map(\.isVerifiedOnly))
    parameters.add(messages.map(\.isFenced))
    bindUsers(to: &parameters)
    parameters.add(
      messages.map { message -> String? in
        guard case .filter(let filter) = message.target else { return nil }
        return String(decoding: FilterWriter.bytes(filter), as: UTF8.self)
      })
    parameters.add(messages.map(\.guards.maxRecipients))
    parameters.add(messages.map(\.guards.expected?.count))
    parameters.add(messages.map { $0.guards.expected.map { String($0.digest.value) } })
    bindSegments(to: &parameters)
  }

  /// All named segments in three flat arrays: the place of their message, their id, and whether they are left out.
  private func bindSegments(to parameters: inout Parameters) {
    var places: [Int32] = []
    var ids: [SegmentID] = []
    var excluded: [Bool] = []
    for (index, message) in messages.enumerated() {
      var included: [SegmentID] = []
      if case .segments(let named) = message.target { included = named }
      for (list, isExcluded) in [(included, false), (message.excluded, true)] {
        places.append(contentsOf: repeatElement(Int32(index + 1), count: list.count))
        ids.append(contentsOf: list)
        excluded.append(contentsOf: repeatElement(isExcluded, count: list.count))
      }
    }
    parameters.add(places)
    parameters.add(ids.map(\.uuid))
    parameters.add(excluded)
  }

  /// All named users, as the installations.
  private func bindUsers(to parameters: inout Parameters) {
    var places: [Int32] = []
    var ids: [String] = []
    for (index, message) in messages.enumerated() {
      guard case .users(let named) = message.target else { continue }
      places.append(contentsOf: repeatElement(Int32(index + 1), count: named.count))
      ids.append(contentsOf: named.map(\.text))
    }
    parameters.add(places)
    parameters.add(ids)
  }

  /// All named installations in two flat arrays: the place of their message, and their id.
  private func bindInstallations(to parameters: inout Parameters) {
    var places: [Int32] = []
    var ids: [InstallationID] = []
    for (index, message) in messages.enumerated() {
      guard case .installations(let named) = message.target else { continue }
      places.append(contentsOf: repeatElement(Int32(index + 1), count: named.count))
      ids.append(contentsOf: named)
    }
    parameters.add(places)
    parameters.add(ids.map(\.uuid))
  }

  /// All payloads in three flat arrays; the base text comes first and has the empty language.
  private func bindPayloads(to parameters: inout Parameters) {
    var places: [Int32] = []
    var languages: [String] = []
    var payloads: [[UInt8]] = []
    for (index, message) in messages.enumerated() {
      for (language, payload) in [("", message.payloads.base)] + message.payloads.localized {
        places.append(Int32(index + 1))
        languages.append(language)
        payloads.append(payload)
      }
    }
    parameters.add(places)
    parameters.add(languages)
    parameters.add(payloads)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let index = Int(try row.int32())
    guard let id = try row.uuidOrNil() else { return .busy(index) }
    let created = CreatedMessage(
      id: MessageID(id), createdAt: Timestamp(microseconds: try row.timestamp()),
      expiresAt: Timestamp(microseconds: try row.timestamp()),
      unmatched: MessageRecord.Unmatched(
        count: try row.int32(), sample: try row.stringArray()))
    return .created(index, created)
  }
}
