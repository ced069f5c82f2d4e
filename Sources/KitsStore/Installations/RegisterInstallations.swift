package import KitsCore
import Postgres

/// One registration. The ids are made before it is queued, so that replaying a batch after a lost answer changes
/// nothing.
package struct Registration: Sendable {
  package let publicKey: String
  /// SHA-256 of the caller's idempotency key, or of a random one.
  package let keyHash: [UInt8]
  package let id: InstallationID
  package let bindingID: BindingID
  package let platform: Platform
  package let state: DesiredState
  package let stateRevision: Int64
  package let stateHash: [UInt8]

  package init(
    publicKey: String, keyHash: [UInt8], id: InstallationID, bindingID: BindingID, platform: Platform,
    state: DesiredState, stateRevision: Int64, stateHash: [UInt8]
  ) {
    self.publicKey = publicKey
    self.keyHash = keyHash
    self.id = id
    self.bindingID = bindingID
    self.platform = platform
    self.state = state
    self.stateRevision = stateRevision
    self.stateHash = stateHash
  }

  package enum Answer: Sendable {
    case registered(Installation)
    /// The key was used within 24 hours: the installation as it is now; nothing was applied.
    case replayed(Installation)
    case unknownPublicKey
    case platformNotInApp
    case identifiersRefused(IdentifierRefusal)
    /// The key was used, and what it registered was deleted since.
    case deletedSince
  }
}

/// Registers a set: the idempotency row decides, then the installation, the owner of its token and the holder of its
/// guid follow. A registration takes the guid, and who had it loses its token (design: a device is reached once).
/// Whether the device is new is noted for the reports; who had the guid and was uninstalled lately was not.
struct RegisterInstallations: Statement {
  let registrations: [Registration]

  enum Row: Sendable {
    /// `unsettled`: who lost its guid to this one, and couldn't be told in this statement.
    case answer(Int, Registration.Answer, unsettled: [InstallationNumber])
    case busy(Int)
  }

  static let sql = """
    WITH r AS MATERIALIZED (
      SELECT u.*, a.app_no, a.collection AS defaults, coalesce(u.platform = ANY (a.platforms), false) AS allowed,
        e.identifier_policy,
        \(IdentifierSQL.refusal("u.state")) AS refusal
      FROM unnest(
        $1::text[], $2::bytea[], $3::uuid[], $4::uuid[], $5::smallint[], $6::jsonb[], $7::bigint[], $8::bytea[]
      ) WITH ORDINALITY
        AS u (public_key, key_hash, installation_id, binding_id, platform, state, revision, hash, ord)
      LEFT JOIN app a ON a.public_key = u.public_key
      LEFT JOIN environment e ON e.environment_no = a.environment_no
    ),
    known AS MATERIALIZED (
      SELECT r.ord, g.app_no, g.installation_no
      FROM r
      CROSS JOIN LATERAL (
        SELECT g.app_no, g.installation_no
        FROM registration g
        WHERE g.app_no = r.app_no AND g.key_hash = r.key_hash AND g.created_at > now() - interval '24 hours'
        LIMIT 1
      ) g
    ),
    fresh AS MATERIALIZED (
      SELECT r.*, nextval('installation_no_seq') AS installation_no
      FROM r
      WHERE r.allowed AND r.refusal IS NULL AND NOT EXISTS (SELECT FROM known k WHERE k.ord = r.ord)
    ),
    reg AS (
      INSERT INTO registration AS g (app_no, key_hash, installation_no, is_new)
      SELECT f.app_no, f.key_hash, f.installation_no, NOT EXISTS (
        SELECT
        FROM device_guid d
        JOIN installation o ON o.app_no = d.app_no AND o.installation_no = d.installation_no
        WHERE d.app_no = f.app_no AND d.guid_hash = f.state #>> '{identifiers,guid,hash}' AND (
          o.token_state <> 3
          OR EXISTS (
            SELECT
            FROM uninstall x
            WHERE x.app_no = o.app_no AND x.installation_no = o.installation_no AND x.taken_back_at IS NULL
              AND x.noticed_at > now() - \(UninstallSQL.grace)
          )
        )
      )
      FROM fresh f
      ORDER BY f.app_no, f.key_hash
      ON CONFLICT (app_no, key_hash) DO UPDATE
        SET installation_no = excluded.installation_no, created_at = now(), is_new = excluded.is_new
        WHERE g.created_at <= now() - interval '24 hours'
      RETURNING g.app_no, g.installation_no
    ),
    ins AS (
      INSERT INTO installation (
        app_no, installation_no, installation_id, platform, apns_environment, push_token, token_state,
        token_registered_at, permission, push_preference, binding_id, state_revision, state_hash, app_version,
        os_version, model, sdk_version, language, time_zone, collection, collection_enabled, identifiers,
        external_device_id, customer_user_id, coppa
      )
      SELECT f.app_no, f.installation_no, f.installation_id, f.platform, coalesce(s.apns_environment, 1), s.push_token,
        CASE WHEN s.push_token IS NULL THEN 0 ELSE 1 END, CASE WHEN s.push_token IS NOT NULL THEN now() END,
        coalesce(s.permission, 0), coalesce(s.push_preference, true), f.binding_id, f.revision, f.hash, s.app_version,
        s.os_version, s.model, s.sdk_version, coalesce(s.language, 'und'), s.time_zone,
        (f.defaults | coalesce(s.collection_on, 0::smallint)) & ~coalesce(s.collection_off, 0::smallint),
        coalesce(s.collection_enabled, true),
        jsonb_strip_nulls(
          coalesce(s.identifiers, '{}') - CASE WHEN s.coppa OR f.identifier_policy > 1 THEN 'idfa' ELSE '' END),
        s.external_device_id, s.customer_user_id,
        coalesce(s.coppa, false)
      FROM fresh f
      JOIN reg USING (app_no, installation_no)
      CROSS JOIN LATERAL jsonb_to_record(f.state) AS s (
        apns_environment smallint, push_token text, permission smallint, push_preference boolean, app_version text,
        os_version text, model text, sdk_version text, language text, time_zone text, collection_on smallint,
        collection_off smallint, collection_enabled boolean, identifiers jsonb, external_device_id text,
        customer_user_id text, coppa boolean
      )
      ORDER BY f.app_no, f.installation_no
      RETURNING *
    ),
    own AS (
      INSERT INTO token_owner AS o (app_no, token, installation_no, registered_at)
      SELECT i.app_no, i.push_token, i.installation_no, i.token_registered_at
      FROM ins i
      WHERE i.push_token IS NOT NULL
      ORDER BY i.app_no, i.push_token
      ON CONFLICT (app_no, token) DO UPDATE
        SET installation_no = excluded.installation_no, registered_at = excluded.registered_at
    ),
    hold AS (
      INSERT INTO device_guid AS g (app_no, guid_hash, installation_no)
      SELECT i.app_no, i.identifiers -> 'guid' ->> 'hash', i.installation_no
      FROM ins i
      WHERE i.identifiers -> 'guid' ->> 'hash' IS NOT NULL
      ORDER BY i.app_no, i.identifiers -> 'guid' ->> 'hash'
      \(GuidSQL.onConflict)
    ),
    \(GuidSQL.supersede(by: "ins")),
    \(UninstallSQL.takeBack("SELECT h.app_no, h.previous_no AS installation_no FROM hold h")),
    found AS (
      SELECT f.ord, 1::smallint AS status, i.push_token IS NOT NULL AS owns_token, \(InstallationRow.columns)
      FROM fresh f
      JOIN ins i USING (app_no, installation_no)
      UNION ALL
      SELECT k.ord, 2::smallint, \(InstallationRow.ownsToken), \(InstallationRow.columns)
      FROM known k
      JOIN installation i USING (app_no, installation_no)
    )
    SELECT (r.ord - 1)::integer,
      CASE
        WHEN i.status IS NOT NULL THEN i.status
        WHEN r.app_no IS NULL THEN 3::smallint
        WHEN NOT r.allowed THEN 4::smallint
        WHEN r.refusal IS NOT NULL AND NOT EXISTS (SELECT FROM known k WHERE k.ord = r.ord) THEN r.refusal
        WHEN EXISTS (SELECT FROM known k WHERE k.ord = r.ord) THEN 5::smallint
        ELSE 6::smallint
      END,
      \(GuidSQL.unsettled), i.owns_token, \(InstallationRow.columns)
    FROM r
    LEFT JOIN found i USING (ord)
    ORDER BY r.ord
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(registrations.map(\.publicKey))
    parameters.add(registrations.map(\.keyHash))
    parameters.add(registrations.map(\.id.uuid))
    parameters.add(registrations.map(\.bindingID.uuid))
    parameters.add(registrations.map(\.platform.rawValue))
    parameters.add(jsons: registrations.map { DesiredStateJSON.encode($0.state) })
    parameters.add(registrations.map(\.stateRevision))
    parameters.add(registrations.map(\.stateHash))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let index = Int(try row.int32())
    let status = try row.int16()
    let unsettled = try row.int64Array().map(InstallationNumber.init)
    switch status {
    case 1: return .answer(index, .registered(try InstallationRow.decode(&row)), unsettled: unsettled)
    case 2: return .answer(index, .replayed(try InstallationRow.decode(&row)), unsettled: [])
    case 3: return .answer(index, .unknownPublicKey, unsettled: [])
    case 4: return .answer(index, .platformNotInApp, unsettled: [])
    case 5: return .answer(index, .deletedSince, unsettled: [])
    default:
      guard let refusal = IdentifierSQL.refusal(status) else { return .busy(index) }
      return .answer(index, .identifiersRefused(refusal), unsettled: [])
    }
  }
}
