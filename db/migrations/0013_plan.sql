-- What must hold of a message's recipients before anything is sent, and messages that were refused for it.

-- max_recipients: more of them refuse the message. expected_digest (0 to 2^64 - 1) and expected_count: those that a
-- preview found. While either is set, planning hands nothing out before its end.
-- plan_digest: the sum of the hashes of all members planned so far, kept when a digest is expected.
-- refusal: 1 too many recipients, 2 another audience than expected, 3 a segment that it names is gone. found_count and
-- refused_at go with it.
ALTER TABLE message
  ADD COLUMN max_recipients  bigint,
  ADD COLUMN expected_count  bigint,
  ADD COLUMN expected_digest numeric(20),
  ADD COLUMN plan_digest     numeric NOT NULL DEFAULT 0,
  ADD COLUMN refusal         smallint,
  ADD COLUMN found_count     bigint,
  ADD COLUMN refused_at      timestamptz;

-- How many segments the message names: when fewer are left once planning starts, one was deleted meanwhile.
ALTER TABLE message_audience ADD COLUMN segments integer NOT NULL DEFAULT 0;
