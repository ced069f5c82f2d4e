import JSON
import Postgres
import Testing

@testable import KitsAPI

extension Device {
  /// Binds this installation to a user, or to nobody, as a login or a logout does.
  func bind(to user: String?, verified: Bool = false) async throws {
    try await running.pool.script(
      """
      UPDATE installation
      SET external_id = \(user.map { "'\($0)'" } ?? "NULL"), verified = \(verified), binding_id = gen_random_uuid(),
        binding_number = binding_number + 1, binding_changed_at = now(), tags = '{}'
      WHERE installation_id = '\(id)'
      """)
  }

  /// What the installation says of its binding.
  func standing() async throws -> JSONValue { try #require(try await read().json["binding"]) }
}
