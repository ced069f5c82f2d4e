import KitsCore
import Postgres

/// The columns of an installation in the order in which `decode` reads them. Queries name the row `i`.
enum InstallationRow {
  /// Everything but who owns the token.
  static let columns = """
    i.app_no, i.installation_no, i.installation_id, i.platform, i.apns_environment, i.push_token, i.token_state,
    i.token_registered_at, i.permission, i.push_preference, i.reachable, i.generation, i.binding_id, i.binding_number,
    i.external_id, i.verified, i.binding_changed_at, i.state_revision, i.app_version, i.os_version, i.model,
    i.sdk_version, i.language, i.time_zone, i.collection_enabled, i.collection, i.identifiers, i.external_device_id,
    i.customer_user_id, i.coppa, i.tags, \(isTestDevice), i.created_at, i.updated_at
    """

  static let isTestDevice = """
    EXISTS (
      SELECT
      FROM test_device m
      WHERE m.app_no = i.app_no AND m.installation_no = i.installation_no
    )
    """

  /// Whether the installation is the newest to have registered its token.
  static let ownsToken = """
    EXISTS (
      SELECT
      FROM token_owner o
      WHERE o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
    )
    """

  /// Reads `ownsToken`, then `columns`.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Installation {
    let ownsToken = try row.bool()
    let appNumber = AppNumber(try row.int64())
    let number = InstallationNumber(try row.int64())
    let id = InstallationID(try row.uuid())
    let platform = try row.known(Platform.self)
    let apnsEnvironment = try row.known(APNsEnvironment.self)
    let token = Installation.Token(
      text: try row.stringOrNil(), state: try row.known(TokenState.self),
      registeredAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)))
    let permission = try row.known(Permission.self)
    let pushPreference = try row.bool()
    let reachable = try row.bool()
    let generation = try row.int32()
    let binding = try decodeBinding(&row)
    let stateRevision = try row.int64()
    let device = try decodeDevice(&row)
    let collection = CollectionConsent(
      enabled: try row.bool(), features: CollectionConsent.Features(rawValue: try row.int16()))
    let identifiers = IdentifiersJSON.decode(try row.json())
    return Installation(
      appNumber: appNumber, number: number, id: id, platform: platform, apnsEnvironment: apnsEnvironment,
      token: token, permission: permission, pushPreference: pushPreference, ownsToken: ownsToken,
      isReachable: reachable && ownsToken, generation: generation, binding: binding, stateRevision: stateRevision,
      device: device, collection: collection, identifiers: identifiers,
      externalDeviceID: try row.stringOrNil(), customerUserID: try row.stringOrNil(), coppa: try row.bool(),
      tags: TagsJSON.decode(try row.json()), isTestDevice: try row.bool(),
      createdAt: Timestamp(microseconds: try row.timestamp()),
      updatedAt: Timestamp(microseconds: try row.timestamp()))
  }

  /// Reads id, number, external id, verified and the time of the change.
  static func decodeBinding(_ row: inout RowReader) throws(PostgresError) -> BindingState {
    BindingState(
      id: BindingID(try row.uuid()), number: try row.int64(), externalID: try row.stringOrNil(),
      verified: try row.bool(), changedAt: Timestamp(microseconds: try row.timestamp()))
  }

  private static func decodeDevice(_ row: inout RowReader) throws(PostgresError) -> Installation.Device {
    Installation.Device(
      appVersion: try row.stringOrNil(), osVersion: try row.stringOrNil(), model: try row.stringOrNil(),
      sdkVersion: try row.stringOrNil(), language: LanguageTag(trusted: try row.string()),
      timeZone: try row.stringOrNil())
  }
}
