// swift-format-ignore-file
// Made by db/embed from db/migrations/0017_reading.sql; don't edit.
import Postgres

extension Schema {
  static let migration0017 = Migration(version: 17, name: "reading", sql: #"""
-- Which messages to more than one device an app sent last: for the history of a device. Messages to one device are not
-- in it: there may be millions between two larger ones.
CREATE INDEX message_larger ON message (app_no, message_no) WHERE planned > 1;

-- Which chunks of a message may hold an installation, without reading their rows. None of these columns ever changes.
CREATE INDEX message_chunk_span ON message_chunk (app_no, message_no, lo, hi) WHERE n > 1;

"""#)
}
