// swift-format-ignore-file
// Made by db/embed from db/migrations/0016_events.sql; don't edit.
import Postgres

extension Schema {
  static let migration0016 = Migration(version: 16, name: "events", sql: #"""
-- What devices report: partitions for events of notifications, and activity.

-- Makes the partitions of message_chunk and notification_event from yesterday to `days` days ahead. A missing partition
-- would fail whole batches.
CREATE OR REPLACE FUNCTION ensure_partitions(days integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  day date;
  today date := (now() AT TIME ZONE 'UTC')::date;
  parent record;
  made integer := 0;
BEGIN
  FOR day IN SELECT generate_series(today - 1, today + days, interval '1 day')::date LOOP
    FOR parent IN
      SELECT *
      FROM (
        VALUES ('message_chunk', ' WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05)'),
          ('notification_event', '')
      ) AS p (name, settings)
    LOOP
      IF to_regclass(format('%s_%s', parent.name, to_char(day, 'YYYYMMDD'))) IS NULL THEN
        EXECUTE format(
          'CREATE TABLE IF NOT EXISTS %s_%s PARTITION OF %s FOR VALUES FROM (%s) TO (%s)%s',
          parent.name, to_char(day, 'YYYYMMDD'), parent.name,
          (extract(epoch FROM day::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22,
          (extract(epoch FROM (day + 1)::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22,
          parent.settings);
        made := made + 1;
      END IF;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;

SELECT ensure_partitions(7);

-- What an app tells of its users and of what they do (K2, T13), each record once by the id that the device gave it.
-- type: 1 user, 2 event, 3 activity. Kept for 30 days; the binding is the one under which it came.
CREATE TABLE activity (
  app_no          bigint NOT NULL,
  installation_no bigint NOT NULL,
  record_id       uuid NOT NULL,
  type            smallint NOT NULL,
  name            text COLLATE "C" NOT NULL,
  properties      jsonb NOT NULL DEFAULT '{}',
  binding_number  bigint NOT NULL,
  occurred_at     timestamptz NOT NULL,
  received_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT activity_pkey PRIMARY KEY (app_no, installation_no, record_id)
);
CREATE INDEX activity_age ON activity USING brin (received_at);

-- How many records of a name came on a day (UTC) of the server's time. Stays when the records are forgotten.
CREATE TABLE activity_day (
  app_no bigint NOT NULL,
  type   smallint NOT NULL,
  name   text COLLATE "C" NOT NULL,
  day    date NOT NULL,
  count  bigint NOT NULL,
  CONSTRAINT activity_day_pkey PRIMARY KEY (app_no, type, name, day)
) WITH (fillfactor = 70);

CREATE INDEX activity_day_age ON activity_day USING brin (day);

-- The names that an app uses. It may have a limited number of them, so that what counts by name stays small.
CREATE TABLE activity_name (
  app_no   bigint NOT NULL,
  type     smallint NOT NULL,
  name     text COLLATE "C" NOT NULL,
  first_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT activity_name_pkey PRIMARY KEY (app_no, type, name)
);
CREATE INDEX activity_name_age ON activity_name USING brin (first_at);

"""#)
}
