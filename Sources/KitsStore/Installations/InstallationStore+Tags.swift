package import KitsCore
package import Postgres

/// Tags (tables: installation, tag_key).
extension InstallationStore {
  static func tagBatcher(_ pool: ConnectionPool) -> Batcher<TagChange, TagChange.Answer> {
    Batcher(
      name: "tags", pool: pool,
      keys: { [.int($0.installation.value)] },
      tenant: { $0.app.value },
      bytes: \.byteCount,
      perform: { batch, executor in
        var answers: [BatchResult<TagChange.Answer>] = Array(repeating: .busy, count: batch.count)
        for row in try await executor.run(ChangeTags(changes: batch)) {
          if case .answer(let index, let answer) = row { answers[index] = .answer(answer) }
        }
        return answers
      })
  }

  package func change(
    _ change: TagChange, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> TagChange.Answer {
    try await tags.submit(change, deadline: deadline)
  }

  /// In the order of their bytes; `after` is where the page before ended.
  package func tagKeys(
    of app: AppNumber, prefix: String, after: String?, limit: Int32, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [TagKeyRecord] {
    try await pool.run(ListTagKeys(app: app, prefix: prefix, after: after, limit: limit), deadline: deadline)
  }
}
