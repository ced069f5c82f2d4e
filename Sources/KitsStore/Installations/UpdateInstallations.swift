package import KitsCore
import Postgres

/// One change of the desired state, as an installation's own device token asks for it.
package struct StateUpdate: Sendable {
  package let app: AppNumber
  package let number: InstallationNumber
  package let generation: Int32
  package let state: DesiredState
  package let stateRevision: Int64
  package let stateHash: [UInt8]

  package init(
    app: AppNumber, number: InstallationNumber, generation: Int32, state: DesiredState, stateRevision: Int64,
    stateHash: [UInt8]
  ) {
    self.app = app
    self.number = number
    self.generation = generation
    self.state = state
    self.stateRevision = stateRevision
    self.stateHash = stateHash
  }

  package enum Answer: Sendable {
    case applied(Installation)
    /// An older revision, or this one again: nothing changed.
    case current(Installation)
    /// This revision was used with other content: nothing changed.
    case revisionReused(Installation)
    /// It would leave the device and its user with the same id (T5): nothing changed.
    case idsCollide
    case identifiersRefused(IdentifierRefusal)
    /// The device token is of an older generation, or its installation is gone.
    case tokenInvalid
  }
}

/// Applies a set of desired states. Locks come first and in order; what is locked elsewhere answers busy. An
/// installation that has a push token and brings it, or its guid, takes the guid: who had it loses its token.
struct UpdateInstallations: Statement {
  let updates: [StateUpdate]

  enum Row: Sendable {
    /// `unsettled`: who lost its guid, and couldn't be told in this statement.
    case answer(Int, StateUpdate.Answer, unsettled: [InstallationNumber])
    case busy(Int)
  }

  static let sql = """
    WITH r AS MATERIALIZED (
      SELECT *
      FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::jsonb[], $5::bigint[], $6::bytea[])
        WITH ORDINALITY AS u (app_no, installation_no, generation, p, revision, hash, ord)
    ),
    t AS MATERIALIZED (
      SELECT r.ord, r.p, r.revision, r.hash, i.app_no, i.installation_no, e.identifier_policy,
        i.identifiers -> 'guid' ->> 'hash' AS old_guid, i.token_state AS old_state,
        CASE
          WHEN i.generation <> r.generation THEN 4::smallint
          WHEN r.revision > i.state_revision AND
            CASE WHEN p ? 'external_device_id' THEN p ->> 'external_device_id' ELSE i.external_device_id END =
            CASE WHEN p ? 'customer_user_id' THEN p ->> 'customer_user_id' ELSE i.customer_user_id END THEN 6::smallint
          WHEN r.revision > i.state_revision THEN coalesce(
            \(IdentifierSQL.refusal("r.p")), 1::smallint)
          WHEN r.revision = i.state_revision AND r.hash <> i.state_hash THEN 3::smallint
          ELSE 2::smallint
        END AS status
      FROM r
      JOIN installation i USING (app_no, installation_no)
      JOIN app a ON a.app_no = i.app_no
      JOIN environment e ON e.environment_no = a.environment_no
      ORDER BY i.app_no, i.installation_no
      FOR NO KEY UPDATE OF i SKIP LOCKED
    ),
    upd AS (
      UPDATE installation i
      SET state_revision = t.revision,
        state_hash = t.hash,
        updated_at = now(),
        push_token = CASE WHEN p ? 'push_token' THEN p ->> 'push_token' ELSE i.push_token END,
        token_state = CASE
          WHEN NOT p ? 'push_token' THEN i.token_state WHEN p ->> 'push_token' IS NULL THEN 0 ELSE 1 END,
        token_registered_at = CASE
          WHEN NOT p ? 'push_token' THEN i.token_registered_at WHEN p ->> 'push_token' IS NULL THEN NULL ELSE now() END,
        apns_environment = coalesce((p ->> 'apns_environment')::smallint, i.apns_environment),
        permission = coalesce((p ->> 'permission')::smallint, i.permission),
        push_preference = coalesce((p ->> 'push_preference')::boolean, i.push_preference),
        app_version = CASE WHEN p ? 'app_version' THEN p ->> 'app_version' ELSE i.app_version END,
        os_version = CASE WHEN p ? 'os_version' THEN p ->> 'os_version' ELSE i.os_version END,
        model = CASE WHEN p ? 'model' THEN p ->> 'model' ELSE i.model END,
        sdk_version = CASE WHEN p ? 'sdk_version' THEN p ->> 'sdk_version' ELSE i.sdk_version END,
        language = CASE WHEN p ? 'language' THEN coalesce(p ->> 'language', 'und') ELSE i.language END,
        time_zone = CASE WHEN p ? 'time_zone' THEN p ->> 'time_zone' ELSE i.time_zone END,
        collection = (i.collection | coalesce((p ->> 'collection_on')::smallint, 0::smallint))
          & ~coalesce((p ->> 'collection_off')::smallint, 0::smallint),
        collection_enabled = coalesce((p ->> 'collection_enabled')::boolean, i.collection_enabled),
        identifiers = jsonb_strip_nulls(
          CASE
            WHEN NOT p ? 'identifiers' THEN i.identifiers
            WHEN p ->> 'identifiers' IS NULL THEN '{}'
            ELSE i.identifiers || (p -> 'identifiers')
          END - CASE
            WHEN coalesce((p ->> 'coppa')::boolean, i.coppa) OR t.identifier_policy > 1 THEN 'idfa' ELSE '' END),
        external_device_id = CASE
          WHEN p ? 'external_device_id' THEN p ->> 'external_device_id' ELSE i.external_device_id END,
        customer_user_id = CASE WHEN p ? 'customer_user_id' THEN p ->> 'customer_user_id' ELSE i.customer_user_id END,
        coppa = coalesce((p ->> 'coppa')::boolean, i.coppa)
      FROM t
      WHERE t.status = 1 AND i.app_no = t.app_no AND i.installation_no = t.installation_no
      RETURNING i.*, t.ord, t.old_guid, t.old_state, p ? 'push_token' AS token_sent,
        p #>> '{identifiers,guid,hash}' IS NOT NULL AS guid_sent, i.identifiers -> 'guid' ->> 'hash' AS guid
    ),
    own AS (
      INSERT INTO token_owner AS o (app_no, token, installation_no, registered_at)
      SELECT i.app_no, i.push_token, i.installation_no, i.token_registered_at
      FROM upd i
      WHERE i.token_sent AND i.push_token IS NOT NULL
      ORDER BY i.app_no, i.push_token
      ON CONFLICT (app_no, token) DO UPDATE
        SET installation_no = excluded.installation_no, registered_at = excluded.registered_at
    ),
    hold AS (
      INSERT INTO device_guid AS g (app_no, guid_hash, installation_no)
      SELECT DISTINCT ON (i.app_no, i.guid) i.app_no, i.guid, i.installation_no
      FROM upd i
      WHERE i.push_token IS NOT NULL AND (i.token_sent OR i.guid_sent) AND i.guid IS NOT NULL
        AND NOT EXISTS (
          SELECT
          FROM device_guid g
          WHERE g.app_no = i.app_no AND g.guid_hash = i.guid AND g.installation_no = i.installation_no
        )
      ORDER BY i.app_no, i.guid, i.token_sent DESC, i.installation_no DESC
      \(GuidSQL.onConflict)
    ),
    forgotten AS (
      DELETE FROM device_guid g
      USING upd i
      WHERE g.app_no = i.app_no AND g.guid_hash = i.old_guid AND g.installation_no = i.installation_no
        AND i.old_guid IS DISTINCT FROM i.guid
    ),
    \(GuidSQL.supersede(by: "upd", unless: inBatch)),
    \(UninstallSQL.takeBack(returned + " UNION SELECT h.app_no, h.previous_no FROM hold h")),
    again AS (
      INSERT INTO registration (app_no, key_hash, installation_no)
      SELECT y.app_no, uuid_send(gen_random_uuid()), y.installation_no
      FROM (\(returned)) y
      WHERE NOT EXISTS (
        SELECT FROM back b WHERE b.app_no = y.app_no AND b.installation_no = y.installation_no
      )
    ),
    found AS (
      SELECT i.ord, 1::smallint AS status,
        CASE WHEN i.token_sent THEN i.push_token IS NOT NULL ELSE \(InstallationRow.ownsToken) END AS owns_token,
        \(InstallationRow.columns)
      FROM upd i
      UNION ALL
      SELECT t.ord, t.status, \(InstallationRow.ownsToken), \(InstallationRow.columns)
      FROM t
      JOIN installation i USING (app_no, installation_no)
      WHERE t.status <> 1
    )
    SELECT (r.ord - 1)::integer,
      CASE
        WHEN i.status IS NOT NULL THEN i.status
        WHEN EXISTS (
          SELECT FROM installation x WHERE x.app_no = r.app_no AND x.installation_no = r.installation_no
        ) THEN 5::smallint
        ELSE 4::smallint
      END,
      \(GuidSQL.unsettled), i.owns_token, \(InstallationRow.columns)
    FROM r
    LEFT JOIN found i USING (ord)
    ORDER BY r.ord
    """

  /// Devices that were uninstalled and are there again: either the uninstall is taken back, or, when that is too late,
  /// they count like a registration.
  private static let returned =
    "SELECT i.app_no, i.installation_no FROM upd i WHERE i.old_state = 3 AND i.token_state = 1"

  /// A row is changed once in a statement.
  private static let inBatch =
    "EXISTS (SELECT FROM r WHERE r.app_no = o.app_no AND r.installation_no = o.installation_no)"

  func bind(to parameters: inout Parameters) {
    parameters.add(updates.map(\.app.value))
    parameters.add(updates.map(\.number.value))
    parameters.add(updates.map(\.generation))
    parameters.add(jsons: updates.map { DesiredStateJSON.encode($0.state) })
    parameters.add(updates.map(\.stateRevision))
    parameters.add(updates.map(\.stateHash))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let index = Int(try row.int32())
    let status = try row.int16()
    let unsettled = try row.int64Array().map(InstallationNumber.init)
    switch status {
    case 1: return .answer(index, .applied(try InstallationRow.decode(&row)), unsettled: unsettled)
    case 2: return .answer(index, .current(try InstallationRow.decode(&row)), unsettled: [])
    case 3: return .answer(index, .revisionReused(try InstallationRow.decode(&row)), unsettled: [])
    case 4: return .answer(index, .tokenInvalid, unsettled: [])
    case 6: return .answer(index, .idsCollide, unsettled: [])
    default:
      guard let refusal = IdentifierSQL.refusal(status) else { return .busy(index) }
      return .answer(index, .identifiersRefused(refusal), unsettled: [])
    }
  }
}
