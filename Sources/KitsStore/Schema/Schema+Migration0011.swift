// swift-format-ignore-file
// Made by db/embed from db/migrations/0011_sessions.sql; don't edit.
import Postgres

extension Schema {
  static let migration0011 = Migration(version: 11, name: "sessions", sql: #"""
-- The newest sessions of an installation, by number, so that reporting one again or late counts nothing twice. They
-- stand in its row, which a report writes anyway: one place without another index.
--
-- The three arrays go together and are sorted by number. session_floor is the highest number that was dropped from
-- them: a session that is unknown and not above it isn't counted.
ALTER TABLE installation
  ADD COLUMN session_ids     uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN session_numbers bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN session_seconds bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN session_floor   bigint NOT NULL DEFAULT 0;

"""#)
}
