import JSON
import KitsCore
import Postgres

/// Where a batch's rows wait for the statement that makes installations of them: a temporary table of one connection,
/// empty again when the transaction ends.
enum ImportStaging {
  static let ddl = """
    CREATE TEMP TABLE IF NOT EXISTS import_staging (
      ord integer NOT NULL,
      installation_id uuid NOT NULL,
      binding_id uuid NOT NULL,
      platform smallint NOT NULL,
      apns_environment smallint NOT NULL,
      push_token text COLLATE "C" NOT NULL,
      permission smallint NOT NULL,
      push_preference boolean NOT NULL,
      external_id text COLLATE "C",
      app_version text,
      os_version text,
      model text,
      sdk_version text,
      language text NOT NULL,
      time_zone text,
      collection_enabled boolean NOT NULL,
      collection_on smallint NOT NULL,
      collection_off smallint NOT NULL,
      external_device_id text,
      coppa boolean NOT NULL,
      tags jsonb NOT NULL,
      first_session_at timestamptz,
      last_session_at timestamptz,
      session_count bigint NOT NULL,
      foreground_seconds bigint NOT NULL
    ) ON COMMIT DELETE ROWS
    """

  static let copy = "COPY import_staging FROM STDIN (FORMAT binary)"

  /// In the order of the table's columns. The ids are made here, so that they ascend and their index grows at its end.
  static func rows(_ installations: some Sequence<NewImport>) -> CopyRows {
    var rows = CopyRows(columns: 25)
    for (index, item) in installations.enumerated() {
      let (installation, state) = (item.installation, item.installation.state)
      rows.beginRow()
      rows.add(Int32(index))
      rows.add(item.id.uuid)
      rows.add(item.bindingID.uuid)
      rows.add(installation.platform.rawValue)
      rows.add((state.apnsEnvironment ?? .production).rawValue)
      rows.add(installation.pushToken.text)
      rows.add((state.permission ?? .unknown).rawValue)
      rows.add(state.pushPreference ?? true)
      rows.add(installation.externalID?.text)
      rows.add(state.appVersion.value)
      rows.add(state.osVersion.value)
      rows.add(state.model.value)
      rows.add(state.sdkVersion.value)
      rows.add((state.language.value ?? .undetermined).text)
      rows.add(state.timeZone.value)
      rows.add(state.collectionEnabled ?? true)
      rows.add(state.collectionOn.rawValue)
      rows.add(state.collectionOff.rawValue)
      rows.add(state.externalDeviceID.value)
      rows.add(state.coppa ?? false)
      rows.add(json: JSON.write(.object(tags(installation))))
      rows.add(timestamp: installation.sessions.firstAt?.microseconds)
      rows.add(timestamp: installation.sessions.lastAt?.microseconds)
      rows.add(installation.sessions.count)
      rows.add(installation.sessions.foregroundSeconds)
    }
    return rows
  }

  private static func tags(_ installation: ImportedInstallation) -> JSONObject {
    JSONObject(installation.tags.map { ($0.key.text, JSONValue.string($0.value)) })
  }
}

extension Change {
  fileprivate var value: Value? {
    if case .set(let value) = self { value } else { nil }
  }
}
