-- What is kept of a message after its chunks are gone, and who cleans up.

-- The outcomes of a message, counted from its chunks before their partition was dropped: counts[i] recipients had the
-- outcome codes[i]. Messages without recipients have no row.
CREATE TABLE message_rollup (
  app_no     bigint NOT NULL,
  message_no bigint NOT NULL,
  codes      smallint[] NOT NULL,
  counts     bigint[] NOT NULL,
  CONSTRAINT message_rollup_pkey PRIMARY KEY (app_no, message_no)
);

-- What one node at a time does for all: whose turn it is until when, and when it was last done to the end.
CREATE TABLE maintenance (
  task        text COLLATE "C" NOT NULL,
  lease_owner bigint,
  lease_until timestamptz NOT NULL DEFAULT '-infinity',
  done_at     timestamptz NOT NULL DEFAULT '-infinity',
  CONSTRAINT maintenance_pkey PRIMARY KEY (task)
);
INSERT INTO maintenance (task) VALUES ('retention'), ('token_owners');

-- Now also of messages whose chunks are gone. A roll-up counts instead of the chunks from the moment it exists.
CREATE OR REPLACE VIEW message_ledger AS
SELECT m.app_no,
       m.message_no,
       m.planned AS targeted,
       coalesce(sum(x.count) FILTER (WHERE o.class = 0), 0)::bigint AS pending,
       coalesce(sum(x.count) FILTER (WHERE o.class = 1), 0)::bigint AS accepted,
       coalesce(sum(x.count) FILTER (WHERE o.class = 2), 0)::bigint AS failed,
       coalesce(sum(x.count) FILTER (WHERE o.class = 3), 0)::bigint AS suppressed,
       coalesce(sum(x.count) FILTER (WHERE o.class = 4), 0)::bigint AS expired,
       coalesce(sum(x.count) FILTER (WHERE o.class = 5), 0)::bigint AS canceled,
       coalesce(sum(x.count) FILTER (WHERE o.class = 6), 0)::bigint AS unknown,
       coalesce(sum(x.count) FILTER (WHERE o.code IS NOT NULL), 0)::bigint AS counted
FROM message m
LEFT JOIN message_rollup r USING (app_no, message_no)
LEFT JOIN LATERAL (
  SELECT u.code, u.count
  FROM unnest(r.codes, r.counts) AS u (code, count)
  UNION ALL
  SELECT get_byte(c.outcomes, i), 1
  FROM message_chunk c
  CROSS JOIN LATERAL generate_series(0, c.n - 1) i
  WHERE r.codes IS NULL AND c.app_no = m.app_no AND c.message_no = m.message_no
) x ON true
LEFT JOIN outcome_code o ON o.code = x.code
GROUP BY m.app_no, m.message_no, m.planned;
