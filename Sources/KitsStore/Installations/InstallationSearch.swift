package import KitsCore
import Postgres

/// Which installations of an environment are asked for. What is nil doesn't restrict.
package struct InstallationSearch: Sendable {
  package let environment: EnvironmentNumber
  package var app: AppID?
  package var user: ExternalID?
  /// The last characters of the push token, `Limits.pushTokenSuffixCharacters` of them.
  package var tokenSuffix: String?
  package var isTestDevice: Bool?
  /// Where the page before ended: they come the newest first.
  package var before: InstallationID?
  package var limit: Int32

  package init(environment: EnvironmentNumber, limit: Int32) {
    self.environment = environment
    self.limit = limit
  }
}

/// An installation as it was found, with its app and the policy that ranks its identifiers.
package struct FoundInstallation: Sendable {
  package let app: AppID
  package let policy: IdentifierPolicy
  package let installation: Installation

  static func decode(_ row: inout RowReader) throws(PostgresError) -> FoundInstallation {
    FoundInstallation(
      app: AppID(try row.uuid()), policy: try row.known(IdentifierPolicy.self),
      installation: try InstallationRow.decode(&row))
  }
}

extension InstallationSearch {
  /// An iOS token is kept in lower case; somebody who copies one may have it in upper case.
  private var spellings: [String]? {
    tokenSuffix.map { suffix in
      let lower = suffix.lowercased()
      return lower == suffix ? [suffix] : [suffix, lower]
    }
  }

  /// The ends of the token as the index has them: one parameter more, for the statement that looks there.
  func bindEnds(to parameters: inout Parameters) {
    parameters.add((spellings ?? []).map { String($0.suffix(InstallationSearchSQL.indexedCharacters)) })
  }

  func bind(to parameters: inout Parameters) {
    bindPlaceAndMark(to: &parameters)
    parameters.add(tokenSuffix != nil)
    parameters.add(spellings ?? [])
    parameters.add(user?.text)
  }

  func bindPlaceAndMark(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(app?.uuid)
    parameters.add(before?.uuid)
    parameters.add(isTestDevice)
    parameters.add(limit)
  }
}

/// What the statements that search have in common.
enum InstallationSearchSQL {
  /// The index `token_owner_end` has so many.
  static let indexedCharacters = 8

  /// - Parameters:
  ///   - source: makes rows `i`, a few of which the conditions then leave.
  static func page(of source: String) -> String {
    """
    SELECT a.app_id, e.identifier_policy, \(InstallationRow.ownsToken), \(InstallationRow.columns)
    FROM app a
    JOIN environment e USING (environment_no)
    CROSS JOIN LATERAL (
      \(source)
    ) i
    WHERE a.environment_no = $1 AND ($2::uuid IS NULL OR a.app_id = $2)
    ORDER BY i.installation_id DESC
    LIMIT $5
    """
  }

  static let conditions = """
    \(placeAndMark)
        AND ($8::text IS NULL OR i.external_id = $8)
        AND (NOT $6::boolean OR \(hasToken))
    """

  /// The first comparison ends the walk along an index; with OR it would only sift.
  static let placeAndMark = """
    i.installation_id < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        AND ($4::boolean IS NULL OR $4 = \(InstallationRow.isTestDevice))
    """

  /// Only its owner has a token.
  private static let hasToken = """
    EXISTS (
          SELECT
          FROM unnest($7::text[]) AS u (suffix)
          JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
          WHERE right(o.token, length(u.suffix)) = u.suffix
        )
    """
}
