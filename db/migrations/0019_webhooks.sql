-- What happened, for customers' backends: written in the transaction of the change. feed_no is the place in the feed;
-- it is given afterwards, by one statement at a time, so that a reader that goes on behind a number misses nothing.
-- subject: what keeps its order (the message; the app for pauses), null for what has none.
CREATE TABLE outbox_event (
  app_no     bigint NOT NULL,
  event_no   bigint GENERATED ALWAYS AS IDENTITY,
  -- A UUIDv7: random bits, the milliseconds in front, the version.
  event_id   uuid NOT NULL DEFAULT encode(
    set_bit(set_bit(
      overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1), 'hex')::uuid,
  type       smallint NOT NULL,
  subject    uuid,
  data       jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  feed_no    bigint,
  PRIMARY KEY (app_no, event_no)
) WITH (autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX outbox_event_unnumbered ON outbox_event (event_no) WHERE feed_no IS NULL;
CREATE UNIQUE INDEX outbox_event_feed ON outbox_event (app_no, feed_no) WHERE feed_no IS NOT NULL;
CREATE INDEX outbox_event_age ON outbox_event USING brin (created_at);

-- The last number of the feed. Its lock is what makes numbers appear in their order.
CREATE TABLE outbox_feed (
  feed smallint PRIMARY KEY,
  last bigint NOT NULL
);

INSERT INTO outbox_feed (feed, last) VALUES (1, 0);

-- Where events go. One process at a time works for an endpoint (lease_owner, epoch); everything up to feed number
-- cursor was delivered, or stands in webhook_delivery. disabled_reason: 1 by a person, 2 the endpoint answered 410.
CREATE TABLE webhook (
  webhook_no      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id      uuid NOT NULL CONSTRAINT webhook_id_key UNIQUE,
  environment_no  bigint NOT NULL CONSTRAINT webhook_environment_fkey REFERENCES environment,
  for_app         bigint CONSTRAINT webhook_app_fkey REFERENCES app,
  url             text COLLATE "C" NOT NULL,
  types           smallint[] NOT NULL,
  description     text,
  enabled         boolean NOT NULL DEFAULT true,
  disabled_reason smallint,
  sealed_under    text COLLATE "C" NOT NULL,
  secret          bytea NOT NULL,
  previous_sealed_under text COLLATE "C",
  previous_secret bytea,
  previous_until  timestamptz,
  created_by      uuid NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  cursor          bigint NOT NULL,
  lease_owner     bigint,
  lease_until     timestamptz NOT NULL DEFAULT '-infinity',
  epoch           integer NOT NULL DEFAULT 0,
  served_at       timestamptz NOT NULL DEFAULT '-infinity',
  -- How many turns in a row nothing went through, and until when nothing is tried for that.
  failing         integer NOT NULL DEFAULT 0,
  not_before      timestamptz NOT NULL DEFAULT '-infinity',
  delivered_at    timestamptz,
  failed_at       timestamptz,
  failure         text
) WITH (fillfactor = 50);

CREATE INDEX webhook_environment ON webhook (environment_no);
-- Asked by every statement whose events are only written while somebody wants them.
CREATE INDEX webhook_listening ON webhook (environment_no) WHERE enabled;

-- What an endpoint didn't take yet. state: 1 waits for its turn at not_before ('infinity': behind an earlier one of the
-- same subject), 2 given up.
CREATE TABLE webhook_delivery (
  app_no      bigint NOT NULL,
  webhook_no  bigint NOT NULL CONSTRAINT webhook_delivery_webhook_fkey REFERENCES webhook ON DELETE CASCADE,
  feed_no     bigint NOT NULL,
  subject     uuid,
  event_at    timestamptz NOT NULL,
  state       smallint NOT NULL DEFAULT 1,
  attempts    integer NOT NULL DEFAULT 0,
  not_before  timestamptz NOT NULL,
  first_at    timestamptz,
  last_at     timestamptz,
  last_status integer NOT NULL DEFAULT 0,
  last_problem text,
  PRIMARY KEY (app_no, webhook_no, feed_no)
) WITH (autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX webhook_delivery_state ON webhook_delivery (webhook_no, state, feed_no);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_no, not_before) WHERE state = 1;
CREATE INDEX webhook_delivery_subject ON webhook_delivery (webhook_no, subject, feed_no) WHERE state = 1;
CREATE INDEX webhook_delivery_age ON webhook_delivery USING brin (event_at);

INSERT INTO maintenance (task) VALUES ('outbox');
