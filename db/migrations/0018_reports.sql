-- An installation whose token the push service declared dead, on the UTC day on which this server was told, with what
-- it was then. Taken back when the device registers again within seven days. Counted into device_day and removed once
-- that can't happen any more.
CREATE TABLE uninstall (
  app_no          bigint NOT NULL,
  installation_no bigint NOT NULL,
  day             date NOT NULL,
  platform        smallint NOT NULL,
  app_version     text COLLATE "C",
  noticed_at      timestamptz NOT NULL DEFAULT now(),
  taken_back_at   timestamptz,
  PRIMARY KEY (app_no, installation_no, day)
);
CREATE INDEX uninstall_day ON uninstall (app_no, day);
CREATE INDEX uninstall_age ON uninstall USING brin (noticed_at);

-- Devices that came and went, per UTC day. Installs are counted when their registration keys go, a day later; until
-- then reports read those. No version is ''.
CREATE TABLE device_day (
  app_no      bigint NOT NULL,
  day         date NOT NULL,
  platform    smallint NOT NULL,
  app_version text COLLATE "C" NOT NULL,
  installs    bigint NOT NULL DEFAULT 0,
  uninstalls  bigint NOT NULL DEFAULT 0,
  taken_back  bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (app_no, day, platform, app_version)
) WITH (fillfactor = 70);

-- Whether the registration brought a device that wasn't there: false when its guid was held by an installation that
-- still counts.
ALTER TABLE registration ADD COLUMN is_new boolean NOT NULL DEFAULT true;

-- Devices of before: one per guid, as far as that is still known.
INSERT INTO device_day (app_no, day, platform, app_version, installs)
SELECT i.app_no, (i.created_at AT TIME ZONE 'UTC')::date, i.platform, coalesce(i.app_version, ''), count(*)
FROM installation i
WHERE NOT EXISTS (
    SELECT FROM registration g WHERE g.app_no = i.app_no AND g.installation_no = i.installation_no
  )
  AND NOT EXISTS (
    SELECT
    FROM device_guid g
    WHERE g.app_no = i.app_no AND g.installation_no = i.installation_no AND g.previous_no IS NOT NULL
  )
GROUP BY 1, 2, 3, 4;

-- The messages that were started in an hour (UTC), and where their recipients stand. Written again while anything in it
-- can change, ever more seldom. settled: outcomes are final, only events may still come.
CREATE TABLE message_hour (
  app_no     bigint NOT NULL,
  hour       timestamptz NOT NULL,
  messages   bigint NOT NULL,
  targeted   bigint NOT NULL,
  pending    bigint NOT NULL,
  accepted   bigint NOT NULL,
  failed     bigint NOT NULL,
  suppressed bigint NOT NULL,
  expired    bigint NOT NULL,
  canceled   bigint NOT NULL,
  unknown    bigint NOT NULL,
  received   bigint NOT NULL,
  clicked    bigint NOT NULL,
  settled    boolean NOT NULL,
  counted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_no, hour)
) WITH (fillfactor = 50);

-- What must be true of every message at every moment, whoever writes: nobody is lost, an ended message has nothing
-- pending, nothing was received or clicked more often than it was handed over, and every event is in the counts per
-- hour. Events may be forgotten, with their day or their installation; the counts stay.
-- attempted: deliveries that were or may have been handed over; of a day that is gone, all.
CREATE VIEW message_conservation AS
SELECT s.*,
  s.targeted = s.counted
    AND (s.pending = 0 OR NOT s.settled)
    AND s.received_hours <= s.attempted AND s.clicked_hours <= s.attempted
    AND s.received <= s.received_hours AND s.clicked <= s.clicked_hours AS holds
FROM (
  SELECT l.app_no, l.message_no, m.settled, l.targeted, l.counted, l.pending,
    coalesce(
      (
        SELECT sum(c.attempted_to)
        FROM message_chunk c
        WHERE c.app_no = m.app_no AND c.message_no = m.message_no
      ), l.targeted)::bigint AS attempted,
    (
      SELECT coalesce(sum(h.count), 0)::bigint
      FROM event_hour h
      WHERE h.app_no = m.app_no AND h.message_no = m.message_no AND h.type = 1
    ) AS received_hours,
    (
      SELECT coalesce(sum(h.count), 0)::bigint
      FROM event_hour h
      WHERE h.app_no = m.app_no AND h.message_no = m.message_no AND h.type = 2
    ) AS clicked_hours,
    (
      SELECT count(*)
      FROM message_chunk c
      CROSS JOIN LATERAL unnest(c.members) AS u (installation_no)
      JOIN notification_event n
        ON n.app_no = m.app_no AND n.installation_no = u.installation_no AND n.message_no = m.message_no AND n.type = 1
      WHERE c.app_no = m.app_no AND c.message_no = m.message_no
    ) AS received,
    (
      SELECT count(*)
      FROM message_chunk c
      CROSS JOIN LATERAL unnest(c.members) AS u (installation_no)
      JOIN notification_event n
        ON n.app_no = m.app_no AND n.installation_no = u.installation_no AND n.message_no = m.message_no AND n.type = 2
      WHERE c.app_no = m.app_no AND c.message_no = m.message_no
    ) AS clicked
  FROM message m
  JOIN message_ledger l USING (app_no, message_no)
) s;

INSERT INTO maintenance (task) VALUES ('reports');
