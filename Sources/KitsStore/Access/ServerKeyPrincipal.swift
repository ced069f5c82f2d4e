package import KitsCore
import Postgres

/// Who calls with a server key.
package struct ServerKeyPrincipal: Sendable {
  package let id: ServerKeyID
  package let environment: EnvironmentNumber
  package let scopes: Set<Scope>
  /// Of who created the key.
  package let role: Role

  /// As the audit log names it.
  package var actor: Actor { .serverKey(id, role: role) }
}

extension ServerKeyPrincipal {
  /// Reads key_id, environment_no, scopes, role. A scope that this version doesn't know gives nothing.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> ServerKeyPrincipal {
    ServerKeyPrincipal(
      id: ServerKeyID(try row.uuid()), environment: EnvironmentNumber(try row.int64()),
      scopes: Set(try row.stringArray().compactMap(Scope.init(rawValue:))), role: try row.known(Role.self))
  }
}
