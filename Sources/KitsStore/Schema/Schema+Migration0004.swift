// swift-format-ignore-file
// Made by db/embed from db/migrations/0004_master_key_check.sql; don't edit.
import Postgres

extension Schema {
  static let migration0004 = Migration(version: 4, name: "master_key_check", sql: #"""
-- Which master keys this database was used with, so that a process with other ones notices before it does harm. A row
-- per id; the value is an authentication code made with a key that is derived from the master key for this alone.
CREATE TABLE master_key_check (
  key_id      text COLLATE "C" NOT NULL,
  check_value bytea NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT master_key_check_pkey PRIMARY KEY (key_id)
);

"""#)
}
