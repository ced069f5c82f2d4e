// swift-format-ignore-file
// Made by db/embed; don't edit.
package import Postgres

extension Schema {
  /// All of db/migrations, in order.
  package static let migrations: [Migration] = [
    migration0001,
    migration0002,
    migration0003,
    migration0004,
    migration0005,
    migration0006,
    migration0007,
    migration0008,
    migration0009,
    migration0010,
    migration0011,
    migration0012,
    migration0013,
    migration0014,
    migration0015,
    migration0016,
    migration0017,
    migration0018,
    migration0019,
    migration0020,
  ]
}
