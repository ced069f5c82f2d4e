import KitsCore

/// How an audience is counted. `$1` is the app; the filter's own parameters follow.
enum PreviewSQL {
  /// Members are counted by platform and by whether they are bound, and by the remainder of their number, so that each
  /// such group can give two of its members to the sample without another look at the table (statistics on that
  /// remainder tell the planner how few groups there are).
  static func exact(_ filter: CompiledFilter, _ isVerifiedOnly: Bool) -> String {
    """
    WITH g AS MATERIALIZED (
      SELECT i.platform, i.external_id IS NOT NULL AS identified, i.installation_no % 256 AS spread,
        count(*) AS matching, count(o.installation_no) AS sendable,
        sum(\(AudienceDigest.memberHash)) FILTER (WHERE o.installation_no IS NOT NULL) AS digest,
        min(i.installation_no) AS lowest, max(i.installation_no) AS highest
      FROM installation i
      \(owner(isVerifiedOnly))
      WHERE i.app_no = $1 AND (\(filter.sql))
      GROUP BY 1, 2, 3
    )
    SELECT now(), g.platform, g.identified, sum(g.matching)::bigint, sum(g.sendable)::bigint,
      coalesce(sum(g.digest), 0)::text, \(sample("SELECT unnest(ARRAY[g.lowest, g.highest]) AS no FROM g"))
    FROM (SELECT) one
    LEFT JOIN g ON true
    GROUP BY g.platform, g.identified
    """
  }

  /// Counts some pages of the table, each taken by chance with the share `$2` (a percentage), and divides by the share.
  /// The error follows from how differently the pages answered (Horvitz and Thompson's estimator for Bernoulli
  /// samples).
  static func estimate(_ filter: CompiledFilter, _ isVerifiedOnly: Bool) -> String {
    """
    WITH m AS MATERIALIZED (
      SELECT (i.ctid::text::point)[0] AS page, i.installation_no AS no, i.platform,
        i.external_id IS NOT NULL AS identified, o.installation_no IS NOT NULL AS sendable
      FROM installation i TABLESAMPLE SYSTEM ($2::text::float4)
      \(owner(isVerifiedOnly))
      WHERE i.app_no = $1 AND (\(filter.sql))
    ),
    e AS (
      SELECT 1.96 * sqrt(coalesce(sum(p.matching * p.matching), 0) * (1 - \(taken))) / \(taken) AS matching,
        1.96 * sqrt(coalesce(sum(p.sendable * p.sendable), 0) * (1 - \(taken))) / \(taken) AS sendable
      FROM (
        SELECT count(*)::float8 AS matching, count(*) FILTER (WHERE m.sendable)::float8 AS sendable
        FROM m
        GROUP BY m.page
      ) p
    )
    SELECT now(), m.platform, m.identified, round(count(m.no) / \(taken))::bigint,
      round(count(*) FILTER (WHERE m.sendable) / \(taken))::bigint,
      ceil(e.matching)::bigint, ceil(e.sendable)::bigint, \(sample("SELECT m.no FROM m"))
    FROM e
    LEFT JOIN m ON true
    GROUP BY m.platform, m.identified, e.matching, e.sendable
    """
  }

  private static let taken = "($2::text::float8 / 100)"

  /// The share of pages that makes a part of the same size of every table.
  static let share = """
    SELECT least(100, 100.0 * \(pagesOfEstimate) * current_setting('block_size')::bigint
      / greatest(pg_relation_size('installation'), 1))::text
    """

  private static let pagesOfEstimate = 4_096

  /// Whoever has its own token can be reached: `reachable` says all the rest.
  private static func owner(_ isVerifiedOnly: Bool) -> String {
    """
    LEFT JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token
        AND o.installation_no = i.installation_no AND i.reachable\(isVerifiedOnly ? " AND i.verified" : "")
    """
  }

  /// Some of these numbers as ids, chosen by their hashes.
  private static func sample(_ numbers: String) -> String {
    """
    (
        SELECT coalesce(array_agg(i.installation_id), '{}')
        FROM installation i
        WHERE i.app_no = $1
          AND i.installation_no = ANY (
            ARRAY(
              SELECT n.no
              FROM (\(numbers)) n
              GROUP BY n.no
              ORDER BY hashint8extended(n.no, 1)
              LIMIT \(Limits.previewSample)
            )
          )
      )
    """
  }
}
