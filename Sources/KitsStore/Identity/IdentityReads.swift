import KitsCore
import Postgres

/// The binding and the policy of an installation, and what became of an operation of it: one snapshot.
enum IdentityViewRow {
  static let columns = """
    e.auth_mode, e.policy_revision, i.binding_id, i.binding_number, i.external_id, i.verified, i.binding_changed_at,
    k.status, k.binding_id, k.binding_number, k.bound_external_id, k.verified, k.changed_at
    """

  static let conflict: Int16 = 3

  static func decode(_ row: inout RowReader) throws(PostgresError) -> IdentityView {
    let authMode = try row.known(AuthMode.self)
    let policyRevision = try row.int64()
    let binding = try InstallationRow.decodeBinding(&row)
    let operation: IdentityView.Operation?
    if let status = try row.int16OrNil() {
      operation = IdentityView.Operation(
        isConflict: status == conflict, binding: try InstallationRow.decodeBinding(&row))
    } else {
      operation = nil
    }
    return IdentityView(binding: binding, authMode: authMode, policyRevision: policyRevision, operation: operation)
  }
}

/// By device token.
struct ReadOwnIdentity: Statement {
  let app: AppNumber
  let number: InstallationNumber
  let generation: Int32
  let operation: IdentityOperationID?

  static let sql = """
    SELECT \(IdentityViewRow.columns)
    FROM installation i
    JOIN app a USING (app_no)
    JOIN environment e USING (environment_no)
    LEFT JOIN identity_operation k
      ON k.app_no = i.app_no AND k.installation_no = i.installation_no AND k.operation_id = $4
    WHERE i.app_no = $1 AND i.installation_no = $2 AND i.generation = $3
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(number.value)
    parameters.add(generation)
    parameters.add(operation?.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> IdentityView {
    try IdentityViewRow.decode(&row)
  }
}

/// By server key.
struct ReadEnvironmentIdentity: Statement {
  let environment: EnvironmentNumber
  let id: InstallationID
  let operation: IdentityOperationID?

  static let sql = """
    SELECT \(IdentityViewRow.columns)
    FROM app a
    JOIN environment e USING (environment_no)
    JOIN installation i ON i.app_no = a.app_no AND i.installation_id = $2
    LEFT JOIN identity_operation k
      ON k.app_no = i.app_no AND k.installation_no = i.installation_no AND k.operation_id = $3
    WHERE a.environment_no = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
    parameters.add(operation?.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> IdentityView {
    try IdentityViewRow.decode(&row)
  }
}
