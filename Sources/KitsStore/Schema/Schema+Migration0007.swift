// swift-format-ignore-file
// Made by db/embed from db/migrations/0007_identity_key_once.sql; don't edit.
import Postgres

extension Schema {
  static let migration0007 = Migration(version: 7, name: "identity_key_once", sql: #"""
-- A key has one id: after a rotation the old key doesn't come back under a new name. Revoked ones count.
CREATE UNIQUE INDEX identity_key_spki_once ON identity_key (environment_no, spki);

"""#)
}
