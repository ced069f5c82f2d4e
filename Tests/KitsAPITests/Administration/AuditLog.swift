import KitsCore
import KitsStore
import Postgres

@testable import KitsAPI

/// The audit log as tests look at it.
extension Tenant {
  /// What happened in the environment, newest first.
  func audit() async throws -> [AuditEntry] {
    var selection = AuditSelection(limit: 1_000)
    selection.environment = environment
    return try await AuditStore(pool: running.pool).entries(selection)
  }

  /// The entries that `work` leaves.
  func entries(of work: () async throws -> Void) async throws -> [AuditEntry] {
    let before = try await audit().first?.number ?? 0
    try await work()
    return try await audit().filter { $0.number > before }
  }
}

extension AuditEntry {
  var changesText: String { String(decoding: changes, as: UTF8.self) }
}
