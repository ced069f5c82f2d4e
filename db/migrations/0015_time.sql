-- Messages that start later, at one moment or at everybody's local time, and messages that are sent slowly.
--
-- State 6 is scheduled: no number yet, nothing planned, all that starting needs in message_schedule. Such a row counts
-- as planned and settled, so that nothing that looks for work sees it.
ALTER TABLE message ALTER COLUMN message_no DROP NOT NULL;
ALTER TABLE message
  ADD COLUMN send_at             timestamptz,             -- as the caller asked; null: at once, or by local time
  ADD COLUMN local_at            timestamp,               -- the wall-clock time of a message by local time
  ADD COLUMN zones_past          smallint,                -- zones whose time was past: 1 skipped, 2 sent to at once
  ADD COLUMN default_zone        text COLLATE "C",        -- of recipients without a known zone, lower case
  ADD COLUMN chosen_at           timestamptz,             -- when the time was chosen: what was past then is past
  ADD COLUMN due_at              timestamptz,             -- when to start it; null: started, or never to be
  ADD COLUMN revision            bigint NOT NULL DEFAULT 1,
  ADD COLUMN throttle_per_minute integer,
  ADD COLUMN throttle_next       timestamptz;             -- no chunk is handed out before
CREATE INDEX message_due ON message (due_at) WHERE due_at IS NOT NULL;

-- What a scheduled message was created with, until it starts or is canceled.
CREATE TABLE message_schedule (
  app_no     bigint NOT NULL,
  message_id uuid NOT NULL,
  body       json NOT NULL,                               -- of the request, merged with its changes
  content    json NOT NULL,                               -- as message_body will have it
  CONSTRAINT message_schedule_pkey PRIMARY KEY (app_no, message_id),
  CONSTRAINT message_schedule_message_fkey FOREIGN KEY (app_no, message_id)
    REFERENCES message (app_no, message_id) ON DELETE CASCADE
);

-- When each zone reaches the time of a message by local time. Made when it starts, gone when it is planned. Names are
-- in lower case. What isn't here is no zone that this database knows.
CREATE TABLE message_zone (
  app_no     bigint NOT NULL,
  message_no bigint NOT NULL,
  zone       text COLLATE "C" NOT NULL,
  not_before timestamptz NOT NULL,
  CONSTRAINT message_zone_pkey PRIMARY KEY (app_no, message_no, zone)
);

-- The moment at which each zone shows a wall-clock time. A time that the zone skips counts as if its clocks weren't
-- turned yet, so it is the one as much later; of a time that it has twice it is the second. A function, so that the
-- zones are read for messages by local time alone.
CREATE FUNCTION zone_times(wall timestamp) RETURNS TABLE (zone text, not_before timestamptz)
LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
  RETURN QUERY
    SELECT DISTINCT ON (lower(z.name)) lower(z.name), wall AT TIME ZONE z.name
    FROM pg_timezone_names z
    WHERE z.name !~ '^(posix|right)/' AND z.name NOT IN ('localtime', 'posixrules', 'Factory')
    ORDER BY lower(z.name);
END $$;

-- Suppressed: the recipient's zone was past the time already.
INSERT INTO outcome_code (code, class, reason) VALUES (11, 3, 'zone_past');
