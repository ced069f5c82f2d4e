// swift-format-ignore-file
// Made by db/embed from db/migrations/0001_first_push.sql; don't edit.
import Postgres

extension Schema {
  static let migration0001 = Migration(version: 1, name: "first_push", sql: #"""
-- The first schema: who may call (project, environment, app, server_key), who can be reached (installation,
-- token_owner), what is to be sent (message, message_body, message_target, message_chunk) and what came of it (outcome
-- bytes, retries).
--
-- Per-app tables lead with app_no in every primary and unique key, so that they can be distributed by it later.
-- Times are the database's. State columns are small integers; their meaning is in KitsCore, beside the code that reads
-- them.

CREATE TABLE project (
  project_no  bigint GENERATED ALWAYS AS IDENTITY,
  project_id  uuid NOT NULL,
  name        text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT project_pkey PRIMARY KEY (project_no),
  CONSTRAINT project_id_key UNIQUE (project_id)
);

CREATE TABLE environment (
  environment_no    bigint GENERATED ALWAYS AS IDENTITY,
  environment_id    uuid NOT NULL,
  project_no        bigint NOT NULL CONSTRAINT environment_project_fkey REFERENCES project,
  name              text NOT NULL,
  auth_mode         smallint NOT NULL DEFAULT 1,     -- 1 BASIC, 2 VERIFIED
  policy_revision   bigint NOT NULL DEFAULT 1,
  identifier_policy smallint NOT NULL DEFAULT 1,     -- 1 global, 2 cn, 3 strict
  created_at        timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT environment_pkey PRIMARY KEY (environment_no),
  CONSTRAINT environment_id_key UNIQUE (environment_id),
  CONSTRAINT environment_name_key UNIQUE (project_no, name)
);

CREATE TABLE app (
  app_no          bigint GENERATED ALWAYS AS IDENTITY,
  app_id          uuid NOT NULL,
  environment_no  bigint NOT NULL CONSTRAINT app_environment_fkey REFERENCES environment,
  name            text NOT NULL,
  bundle_id       text NOT NULL,
  platforms       smallint[] NOT NULL,               -- 1 ios, 2 android
  public_key      text COLLATE "C" NOT NULL,
  -- Defaults of the app: bits 1 users, 2 events, 4 activity, 8 notification events.
  collection      smallint NOT NULL DEFAULT 15,
  signing_mode    smallint NOT NULL DEFAULT 0,       -- 0 off, 1 optional, 2 required
  signing_bucket_seconds integer NOT NULL DEFAULT 300,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT app_pkey PRIMARY KEY (app_no),
  CONSTRAINT app_id_key UNIQUE (app_id),
  CONSTRAINT app_public_key_key UNIQUE (public_key)
);
CREATE INDEX app_environment ON app (environment_no);

-- One APNs key per app. The private key is sealed with AES-256-GCM; the fingerprint is SHA-256 of its public SPKI.
CREATE TABLE apns_key (
  app_no       bigint NOT NULL CONSTRAINT apns_key_app_fkey REFERENCES app,
  team_id      text COLLATE "C" NOT NULL,
  key_id       text COLLATE "C" NOT NULL,
  fingerprint  bytea NOT NULL,
  sealed_under text COLLATE "C" NOT NULL,
  private_key  bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT apns_key_pkey PRIMARY KEY (app_no)
);

-- The provider token of a team key, one row for all nodes. The fingerprint keeps two tenants apart that name the same
-- key.
CREATE TABLE provider_token (
  team_id      text COLLATE "C" NOT NULL,
  key_id       text COLLATE "C" NOT NULL,
  fingerprint  bytea NOT NULL,
  sealed_under text COLLATE "C" NOT NULL,
  token        bytea NOT NULL,
  issued_at    timestamptz NOT NULL,
  CONSTRAINT provider_token_pkey PRIMARY KEY (team_id, key_id, fingerprint)
);

CREATE TABLE server_key (
  key_no         bigint GENERATED ALWAYS AS IDENTITY,
  key_id         uuid NOT NULL,
  environment_no bigint NOT NULL CONSTRAINT server_key_environment_fkey REFERENCES environment,
  name           text NOT NULL,
  hash           bytea NOT NULL,                     -- SHA-256 of the whole key
  last_four      text NOT NULL,
  scopes         text[] NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  revoked_at     timestamptz,
  CONSTRAINT server_key_pkey PRIMARY KEY (key_no),
  CONSTRAINT server_key_id_key UNIQUE (key_id),
  CONSTRAINT server_key_hash_key UNIQUE (hash)
);
CREATE INDEX server_key_environment ON server_key (environment_no);

CREATE SEQUENCE installation_no_seq CACHE 64;

CREATE TABLE installation (
  app_no              bigint NOT NULL,
  -- Dense and in order of registration: chunks join neighbouring pages.
  installation_no     bigint NOT NULL,
  installation_id     uuid NOT NULL,
  platform            smallint NOT NULL,             -- 1 ios, 2 android
  apns_environment    smallint NOT NULL DEFAULT 1,   -- 1 production, 2 sandbox
  push_token          text COLLATE "C",
  token_state         smallint NOT NULL DEFAULT 0,   -- 0 none, 1 active, 2 suspect, 3 unregistered
  token_registered_at timestamptz,
  -- 0 unknown, 1 not determined, 2 denied, 3 authorized, 4 provisional, 5 ephemeral
  permission          smallint NOT NULL DEFAULT 0,
  push_preference     boolean NOT NULL DEFAULT true,
  -- The one definition of "can be reached", apart from who owns the token (token_owner).
  reachable           boolean NOT NULL GENERATED ALWAYS AS
    (push_token IS NOT NULL AND token_state = 1 AND permission NOT IN (1, 2) AND push_preference AND platform = 1)
    STORED,
  generation          integer NOT NULL DEFAULT 1,    -- of the device token
  binding_id          uuid NOT NULL,
  binding_number      bigint NOT NULL DEFAULT 1,
  binding_changed_at  timestamptz NOT NULL DEFAULT now(),
  external_id         text COLLATE "C",
  verified            boolean NOT NULL DEFAULT false,
  state_revision      bigint NOT NULL,
  state_hash          bytea NOT NULL,                -- of the last applied desired state, to tell a reused revision
  app_version         text COLLATE "C",
  os_version          text COLLATE "C",
  model               text COLLATE "C",
  sdk_version         text COLLATE "C",
  language            text COLLATE "C" NOT NULL DEFAULT 'und',
  time_zone           text COLLATE "C",
  collection          smallint NOT NULL DEFAULT 15,  -- bits 1 users, 2 events, 4 activity, 8 notification events
  collection_enabled  boolean NOT NULL DEFAULT true,
  identifiers         jsonb NOT NULL DEFAULT '{}',
  external_device_id  text COLLATE "C",
  customer_user_id    text COLLATE "C",
  coppa               boolean NOT NULL DEFAULT false,
  test_device         boolean NOT NULL DEFAULT false,
  created_at          timestamptz NOT NULL DEFAULT now(),
  updated_at          timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT installation_pkey PRIMARY KEY (app_no, installation_no),
  CONSTRAINT installation_id_key UNIQUE (app_no, installation_id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

-- Who may be reached by a token. A send needs owner = me; a unique index on installation would refuse tokens that move.
CREATE TABLE token_owner (
  app_no          bigint NOT NULL,
  token           text COLLATE "C" NOT NULL,
  installation_no bigint NOT NULL,
  registered_at   timestamptz NOT NULL,
  CONSTRAINT token_owner_pkey PRIMARY KEY (app_no, token)
) WITH (fillfactor = 90);

-- Idempotent registration: the hash of the key alone decides, for 24 hours.
CREATE TABLE registration (
  app_no          bigint NOT NULL,
  key_hash        bytea NOT NULL,
  installation_no bigint NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT registration_pkey PRIMARY KEY (app_no, key_hash)
);
CREATE INDEX registration_age ON registration USING brin (created_at);

-- Numbers of messages are milliseconds << 22 | sequence, given when planning starts: partitions by time follow from
-- them.
CREATE SEQUENCE message_no_seq CACHE 64 MAXVALUE 4194303 CYCLE;

CREATE TABLE message (
  app_no           bigint NOT NULL,
  message_id       uuid NOT NULL,
  message_no       bigint NOT NULL,
  state            smallint NOT NULL,                -- 1 planning, 2 sending, 3 completed, 4 canceled
  target_kind      smallint NOT NULL,                -- 1 installation_ids, 2 everyone
  fenced           boolean NOT NULL DEFAULT false,   -- members carry the binding number they were chosen under
  on_unknown       smallint NOT NULL DEFAULT 1,      -- 1 resend, 2 skip
  expires_at       timestamptz NOT NULL,
  unmatched_count  integer NOT NULL DEFAULT 0,
  unmatched_sample uuid[] NOT NULL DEFAULT '{}',
  plan_cursor      bigint NOT NULL DEFAULT 0,
  plan_upto        bigint NOT NULL,
  plan_done        boolean NOT NULL DEFAULT false,
  plan_owner       bigint,
  plan_epoch       integer NOT NULL DEFAULT 0,
  plan_lease_until timestamptz NOT NULL DEFAULT '-infinity',
  next_chunk       integer NOT NULL DEFAULT 0,
  planned          bigint NOT NULL DEFAULT 0,
  settled          boolean NOT NULL DEFAULT false,   -- nothing of it is pending any more
  created_by       uuid NOT NULL,                    -- key_id of the server key
  created_at       timestamptz NOT NULL DEFAULT now(),
  started_at       timestamptz,
  completed_at     timestamptz,
  canceled_at      timestamptz,
  CONSTRAINT message_pkey PRIMARY KEY (app_no, message_id),
  CONSTRAINT message_no_key UNIQUE (app_no, message_no)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX message_unplanned ON message (app_no, message_no) WHERE NOT plan_done;
CREATE INDEX message_unsettled ON message (app_no, message_no) WHERE NOT settled;

-- What never changes once the message exists. payloads[1] is the base text; payloads[i + 1] is for languages[i].
CREATE TABLE message_body (
  app_no       bigint NOT NULL,
  message_no   bigint NOT NULL,
  content      json NOT NULL,
  languages    text[] NOT NULL DEFAULT '{}',
  payloads     bytea[] NOT NULL,
  push_type    smallint NOT NULL,                    -- 1 alert, 2 background
  priority     smallint NOT NULL,                    -- 10, 5, 1
  ttl_seconds  integer NOT NULL,
  collapse_id  text COLLATE "C",
  CONSTRAINT message_body_pkey PRIMARY KEY (app_no, message_no)
);

CREATE TABLE message_target (
  app_no     bigint NOT NULL,
  message_no bigint NOT NULL,
  members    bigint[] NOT NULL,                      -- installation_no, ascending
  CONSTRAINT message_target_pkey PRIMARY KEY (app_no, message_no)
);

-- Idempotent creation by a backend, for 30 days: scope is app, kind of credential, key.
CREATE TABLE idempotency_key (
  app_no     bigint NOT NULL,
  credential smallint NOT NULL,                      -- 1 server key
  key_hash   bytea NOT NULL,
  body_hash  bytea NOT NULL,
  message_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_key_pkey PRIMARY KEY (app_no, credential, key_hash)
);
CREATE INDEX idempotency_key_age ON idempotency_key USING brin (created_at);

-- The unit of work: up to 1,000 recipients, one outcome byte each. Partitioned by day of message_no.
CREATE TABLE message_chunk (
  app_no       bigint NOT NULL,
  message_no   bigint NOT NULL,
  chunk_no     integer NOT NULL,
  n            integer NOT NULL,
  lo           bigint NOT NULL,
  hi           bigint NOT NULL,
  members      bigint[] NOT NULL,                    -- installation_no, ascending; never changes
  binding_nos  bigint[],                             -- one per member when the message is fenced
  outcomes     bytea NOT NULL,                       -- one byte per member, see outcome_code
  not_before   timestamptz NOT NULL DEFAULT '-infinity',
  done         boolean NOT NULL DEFAULT false,       -- every member has an outcome or a retry row
  lease_until  timestamptz NOT NULL DEFAULT '-infinity',
  lease_owner  bigint,
  lease_epoch  integer NOT NULL DEFAULT 0,
  attempted_to integer NOT NULL DEFAULT 0,           -- members before this may have been handed to the network
  acked_to     integer NOT NULL DEFAULT 0,           -- members before this have their outcome
  first_at     timestamptz,
  last_at      timestamptz,
  CONSTRAINT message_chunk_pkey PRIMARY KEY (app_no, message_no, chunk_no)
) PARTITION BY RANGE (message_no);
ALTER TABLE message_chunk ALTER COLUMN members SET STORAGE EXTERNAL;
ALTER TABLE message_chunk ALTER COLUMN binding_nos SET STORAGE EXTERNAL;
CREATE INDEX message_chunk_open ON message_chunk (app_no, message_no, not_before, chunk_no) WHERE NOT done;
CREATE INDEX message_chunk_single ON message_chunk (app_no, lo, message_no) WHERE n = 1;

-- Makes the partitions of message_chunk from yesterday to `days` days ahead. A missing partition would fail whole
-- batches.
CREATE FUNCTION ensure_partitions(days integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  day date;
  today date := (now() AT TIME ZONE 'UTC')::date;
  made integer := 0;
BEGIN
  FOR day IN SELECT generate_series(today - 1, today + days, interval '1 day')::date LOOP
    IF to_regclass(format('message_chunk_%s', to_char(day, 'YYYYMMDD'))) IS NULL THEN
      EXECUTE format(
        'CREATE TABLE IF NOT EXISTS message_chunk_%s PARTITION OF message_chunk FOR VALUES FROM (%s) TO (%s)
         WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05)',
        to_char(day, 'YYYYMMDD'),
        (extract(epoch FROM day::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22,
        (extract(epoch FROM (day + 1)::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22);
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;

-- Exceptions only: a delivery that will be tried again. `attempting` is committed before each send.
CREATE TABLE delivery_retry (
  app_no      bigint NOT NULL,
  message_no  bigint NOT NULL,
  chunk_no    integer NOT NULL,
  idx         integer NOT NULL,
  attempts    integer NOT NULL,
  last_status integer NOT NULL,                      -- 0 = never answered
  last_reason text NOT NULL,
  not_before  timestamptz NOT NULL,
  attempting  boolean NOT NULL DEFAULT false,
  epoch       integer NOT NULL DEFAULT 0,
  lease_until timestamptz NOT NULL DEFAULT '-infinity',
  lease_owner bigint,
  CONSTRAINT delivery_retry_pkey PRIMARY KEY (app_no, message_no, chunk_no, idx)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX delivery_retry_due ON delivery_retry (not_before);

-- What is worth keeping of a delivery that was tried more than once.
CREATE TABLE delivery_summary (
  app_no      bigint NOT NULL,
  message_no  bigint NOT NULL,
  chunk_no    integer NOT NULL,
  idx         integer NOT NULL,
  attempts    integer NOT NULL,
  last_status integer NOT NULL,
  last_reason text NOT NULL,
  -- Sent again although the first result is unknown: it may have been shown twice.
  resent      boolean NOT NULL DEFAULT false,
  CONSTRAINT delivery_summary_pkey PRIMARY KEY (app_no, message_no, chunk_no, idx)
);

-- What an outcome byte means. Classes: 0 pending, 1 accepted, 2 failed, 3 suppressed, 4 expired, 5 canceled, 6 unknown.
-- Codes from 32 are reasons of the push service; one that was never seen before gets the next free code.
CREATE TABLE outcome_code (
  code   smallint NOT NULL,
  class  smallint NOT NULL,
  reason text COLLATE "C" NOT NULL,
  CONSTRAINT outcome_code_pkey PRIMARY KEY (code),
  CONSTRAINT outcome_code_reason_key UNIQUE (class, reason),
  CONSTRAINT outcome_code_range CHECK (code BETWEEN 0 AND 255)
);
INSERT INTO outcome_code (code, class, reason) VALUES
  (0, 0, 'queued'), (1, 1, 'accepted'), (2, 0, 'in_retry'),
  (3, 3, 'no_token'), (4, 3, 'token_inactive'), (5, 3, 'token_moved'), (6, 3, 'permission_denied'), (7, 3, 'opted_out'),
  (8, 3, 'identity_changed'), (9, 3, 'deleted'), (10, 3, 'no_provider'),
  (16, 4, 'expired'), (17, 5, 'canceled'), (18, 6, 'unknown'),
  (32, 2, 'Unregistered'), (33, 2, 'ExpiredToken'), (34, 2, 'BadDeviceToken'), (35, 2, 'DeviceTokenNotForTopic'),
  (36, 2, 'TooManyRequests'), (37, 2, 'PayloadTooLarge'), (38, 2, 'TopicDisallowed'), (39, 2, 'BadTopic'),
  (40, 2, 'InvalidProviderToken'), (41, 2, 'Forbidden'), (255, 2, 'other');

-- One row per message: what it targeted and where each of them stands. Counted from the bytes, never incremented.
CREATE VIEW message_ledger AS
SELECT m.app_no,
       m.message_no,
       m.planned AS targeted,
       count(*) FILTER (WHERE o.class = 0) AS pending,
       count(*) FILTER (WHERE o.class = 1) AS accepted,
       count(*) FILTER (WHERE o.class = 2) AS failed,
       count(*) FILTER (WHERE o.class = 3) AS suppressed,
       count(*) FILTER (WHERE o.class = 4) AS expired,
       count(*) FILTER (WHERE o.class = 5) AS canceled,
       count(*) FILTER (WHERE o.class = 6) AS unknown,
       count(o.code) AS counted
FROM message m
LEFT JOIN message_chunk c USING (app_no, message_no)
LEFT JOIN LATERAL generate_series(0, c.n - 1) i ON true
LEFT JOIN outcome_code o ON o.code = get_byte(c.outcomes, i)
GROUP BY m.app_no, m.message_no, m.planned;

SELECT ensure_partitions(7);

"""#)
}
