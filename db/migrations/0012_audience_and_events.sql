-- What a message asks for beside its text.
ALTER TABLE message
  ADD COLUMN track_events   boolean NOT NULL DEFAULT false,
  ADD COLUMN track_receipts boolean NOT NULL DEFAULT false;

-- Whom a message is for when that is a filter or segments: the filter as the caller wrote it (null for segments, which
-- stand in message_segment), and the tree that planning uses, fixed with its moment when planning starts. Both are
-- forgotten with the message.
CREATE TABLE message_audience (
  app_no     bigint NOT NULL,
  message_id uuid NOT NULL,
  filter     jsonb,
  audience   jsonb,
  fixed_at   timestamptz,
  PRIMARY KEY (app_no, message_id)
);

-- Devices of the team: reached by the target test_devices (K8).
CREATE TABLE test_device (
  app_no          bigint NOT NULL,
  installation_no bigint NOT NULL,
  marked_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_no, installation_no)
);

-- RECEIVED (1) and CLICKED (2), each once for a delivery, of which a message has one per installation. First write
-- wins. source: 1 the app, 2 its notification service extension. received_at is this server's time, occurred_at the
-- device's.
-- Partitions are the days of message numbers, as those of message_chunk.
CREATE TABLE notification_event (
  app_no          bigint NOT NULL,
  installation_no bigint NOT NULL,
  message_no      bigint NOT NULL,
  type            smallint NOT NULL,
  source          smallint NOT NULL,
  binding_number  bigint NOT NULL,
  occurred_at     timestamptz,
  received_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_no, installation_no, message_no, type)
) PARTITION BY RANGE (message_no);

-- How many events of a message the server received in each hour. Stays when the events are forgotten.
CREATE TABLE event_hour (
  app_no     bigint NOT NULL,
  message_no bigint NOT NULL,
  type       smallint NOT NULL,
  hour       timestamptz NOT NULL,
  count      bigint NOT NULL,
  PRIMARY KEY (app_no, message_no, type, hour)
) WITH (fillfactor = 70);
