package import Postgres

/// The database schema that this program is made for, and how a database compares to it.
package enum Schema {
  /// The version that this program needs.
  package static var required: Int { Migrator.requiredVersion(in: migrations) }

  package enum Standing: Sendable, Equatable {
    case current
    /// Not migrated far enough, or never.
    case older(version: Int)
    /// Migrated by a newer program. One that runs already may go on: migrations keep older programs working.
    case newer(version: Int)

    /// Against what this program needs.
    package init(version: Int, required: Int) {
      if version < required {
        self = .older(version: version)
      } else if version > required {
        self = .newer(version: version)
      } else {
        self = .current
      }
    }
  }

  package static func standing(
    of pool: ConnectionPool
  ) async throws(PostgresError) -> Standing {
    Standing(version: try await Migrator.currentVersion(pool), required: required)
  }
}
