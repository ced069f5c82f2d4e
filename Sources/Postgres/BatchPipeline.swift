/// Runs many batches of one side by side on one connection: when every member that isn't finished waits for a
/// statement, all of these go out together, in the members' order, each with its own Sync.
final class BatchPipeline: Sendable {
  private struct State {
    var members: Int
    var waiting: [(index: Int, entry: PipelineEntry)] = []
  }

  private let connection: Connection
  private let timeout: Duration
  private let state: Locked<State>

  init(connection: Connection, timeout: Duration, members: Int) {
    self.connection = connection
    self.timeout = timeout
    state = Locked(State(members: members))
  }

  func executor(_ index: Int) -> any BatchExecutor { Member(pipeline: self, index: index) }

  /// A member is finished.
  func leave() { change { $0.members -= 1 } }

  private func add(_ index: Int, _ entry: PipelineEntry) { change { $0.waiting.append((index, entry)) } }

  private func change(_ body: (inout State) -> Void) {
    let entries = state { state -> [PipelineEntry] in
      body(&state)
      guard state.waiting.count == state.members else { return [] }
      defer { state.waiting = [] }
      return state.waiting.sorted { $0.index < $1.index }.map(\.entry)
    }
    guard !entries.isEmpty else { return }
    Task { await connection.pipeline(entries, until: .now + timeout) }
  }

  private struct Member: BatchExecutor {
    let pipeline: BatchPipeline
    let index: Int

    func run<S: Statement>(_ statement: S) async throws(PostgresError) -> [S.Row] {
      try await send(statement) { (set) throws(PostgresError) in try set.rows(S.decode) }
    }

    func execute<S: Statement>(_ statement: S) async throws(PostgresError) -> Int {
      try await send(statement) { (set) throws(PostgresError) in set.affectedRows }
    }

    private func send<S: Statement, R: Sendable>(
      _ statement: S, _ read: @escaping @Sendable (ResultSet) throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
      let command = try Command(statement)
      let result: Result<R, PostgresError> = await withCheckedContinuation { continuation in
        let entry = PipelineEntry(command: command) { answer in
          do throws(PostgresError) {
            continuation.resume(returning: .success(try read(answer.get())))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
        pipeline.add(index, entry)
      }
      return try result.get()
    }
  }
}
