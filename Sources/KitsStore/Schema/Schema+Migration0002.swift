// swift-format-ignore-file
// Made by db/embed from db/migrations/0002_app_pause.sql; don't edit.
import Postgres

extension Schema {
  static let migration0002 = Migration(version: 2, name: "app_pause", sql: #"""
-- Pausing an app, by the circuit breaker or by an operator: one row per app and APNs environment, changed by
-- compare-and-set on its epoch. Chunks and retries know their environment, so that a pause of one doesn't hold the
-- other.
CREATE TABLE app_circuit (
  app_no           bigint NOT NULL,
  apns_environment smallint NOT NULL,                -- 1 production, 2 sandbox
  state            smallint NOT NULL,                -- 1 closed, 2 open: nothing is handed over
  epoch            integer NOT NULL,                 -- rises with every change of state
  reason           smallint NOT NULL,                -- 1 operator, 2 credential, 3 clock fault, 4 tokens refused
  detail           text,                             -- the operator's words, or the push service's
  opened_at        timestamptz NOT NULL DEFAULT now(),
  closed_at        timestamptz,
  CONSTRAINT app_circuit_pkey PRIMARY KEY (app_no, apns_environment)
);

-- Tokens that were taken out of use by what opened the circuit: proven ones, which worked before. Resuming makes them
-- active again.
CREATE TABLE app_circuit_suspect (
  app_no           bigint NOT NULL,
  apns_environment smallint NOT NULL,
  installation_no  bigint NOT NULL,
  token            text COLLATE "C" NOT NULL,
  CONSTRAINT app_circuit_suspect_pkey PRIMARY KEY (app_no, apns_environment, installation_no)
);

-- The environment of all members when they were chosen; one who changed it since is held on its own.
ALTER TABLE message_chunk ADD COLUMN apns_environment smallint NOT NULL DEFAULT 1;
ALTER TABLE delivery_retry ADD COLUMN apns_environment smallint NOT NULL DEFAULT 1;

"""#)
}
