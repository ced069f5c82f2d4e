import KitsCore
import Postgres

/// By the end of a push token, which `token_owner_end` has: an installation or two.
struct SearchInstallationsByToken: Statement {
  let search: InstallationSearch

  static let sql = InstallationSearchSQL.page(
    of: """
      SELECT i.*
        FROM token_owner o
        JOIN installation i ON i.app_no = o.app_no AND i.installation_no = o.installation_no
        WHERE o.app_no = a.app_no AND right(o.token, \(InstallationSearchSQL.indexedCharacters)) = ANY ($9::text[])
          AND \(InstallationSearchSQL.conditions)
        OFFSET 0
      """)

  func bind(to parameters: inout Parameters) {
    search.bind(to: &parameters)
    search.bindEnds(to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> FoundInstallation {
    try FoundInstallation.decode(&row)
  }
}

/// By the user that they are bound to.
struct SearchInstallationsByUser: Statement {
  let search: InstallationSearch

  static let sql = InstallationSearchSQL.page(
    of: """
      SELECT i.*
        FROM installation i
        WHERE i.app_no = a.app_no AND i.external_id = $8 AND \(InstallationSearchSQL.conditions)
        OFFSET 0
      """)

  func bind(to parameters: inout Parameters) { search.bind(to: &parameters) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> FoundInstallation {
    try FoundInstallation.decode(&row)
  }
}

/// Test devices alone, of which an app has few.
struct SearchTestDevices: Statement {
  let search: InstallationSearch

  static let sql = InstallationSearchSQL.page(
    of: """
      SELECT i.*
        FROM test_device m
        JOIN installation i USING (app_no, installation_no)
        WHERE m.app_no = a.app_no AND \(InstallationSearchSQL.placeAndMark)
        OFFSET 0
      """)

  func bind(to parameters: inout Parameters) { search.bindPlaceAndMark(to: &parameters) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> FoundInstallation {
    try FoundInstallation.decode(&row)
  }
}

/// All of them, or all but test devices: each app's newest by the index of ids, from which the newest of all are taken.
struct ListInstallations: Statement {
  let search: InstallationSearch

  static let sql = InstallationSearchSQL.page(
    of: """
      SELECT i.*
        FROM installation i
        WHERE i.app_no = a.app_no AND \(InstallationSearchSQL.placeAndMark)
        ORDER BY i.installation_id DESC
        LIMIT $5
      """)

  func bind(to parameters: inout Parameters) { search.bindPlaceAndMark(to: &parameters) }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> FoundInstallation {
    try FoundInstallation.decode(&row)
  }
}
