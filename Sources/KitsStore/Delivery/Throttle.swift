import KitsCore

/// How a throttled message is handed out: each chunk that is taken for the first time moves the moment of the next one
/// on, by compare-and-set on the message row, so that all nodes together keep the rate.
///
/// A chunk is at most a sixth of a minute's rate. What was missed is made up for by at most one chunk or one second,
/// whichever is more: in any minute no more is handed out than the rate and that.
enum Throttle {
  static let chunksPerMinute = 6

  /// Locks the row of a throttled message whose moment has come, and no other; whoever is second passes.
  static let lock = """
    t AS MATERIALIZED (
      SELECT m.throttle_per_minute AS rate
      FROM message m
      WHERE m.app_no = $1 AND m.message_no = $2 AND m.throttle_per_minute IS NOT NULL
        AND (m.throttle_next IS NULL OR m.throttle_next <= now())
      FOR NO KEY UPDATE SKIP LOCKED
    )
    """

  /// Of message `m`: whether a chunk may be taken of it now.
  static let isOpen = "(m.throttle_per_minute IS NULL OR EXISTS (SELECT FROM t))"

  /// Of message `m`, without a lock: whether it is worth asking.
  static let mayBeOpen = "(m.throttle_next IS NULL OR m.throttle_next <= now())"

  /// Moves the moment on by what chunk `c` has that was never declared. Retries don't count.
  static let advance = """
    moved AS (
      UPDATE message m
      SET throttle_next = greatest(
          coalesce(m.throttle_next, now()),
          now() - greatest(interval '1 second', least(c.n, 1000) * interval '1 minute' / t.rate)
        ) + greatest(0, c.n - c.prior) * interval '1 minute' / t.rate
      FROM t, c
      WHERE m.app_no = $1 AND m.message_no = $2
    )
    """
}
