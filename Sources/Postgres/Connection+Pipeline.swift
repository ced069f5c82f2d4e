internal import CPostgres

/// One statement of a pipeline; `finish` is called on the connection's thread, exactly once.
struct PipelineEntry: Sendable {
  let command: Command
  let finish: @Sendable (Result<ResultSet, PostgresError>) -> Void
}

extension Connection {
  /// Sends all statements at once, each with a Sync of its own: each stands and falls alone, in order, in one round
  /// trip.
  func pipeline(_ entries: [PipelineEntry], until deadline: Instant) {
    var waiting = entries[...]
    do throws(PostgresError) {
      // Preparing isn't part of the pipeline, so that one statement's bad SQL can't abort another.
      let handle = try ready(until: deadline)
      var names: [Result<String?, PostgresError>] = []
      for entry in entries {
        names.append(result { () throws(PostgresError) in try prepare(entry.command, until: deadline) })
      }
      guard PQenterPipelineMode(handle.pointer) == 1 else { throw refusedByLibpq(handle) }
      for case (let entry, .success(let name)) in zip(entries, names) {
        guard entry.command.send(over: handle.pointer, prepared: name) == 1, PQpipelineSync(handle.pointer) == 1
        else { throw refusedByLibpq(handle) }
      }
      var wait = StatementWait(deadline: deadline, grace: configuration.cancelGrace)
      try flush(handle, &wait)
      for (entry, name) in zip(entries, names) {
        let answer: Result<ResultSet, PostgresError>
        switch name {
        case .failure(let error): answer = .failure(error)
        case .success: answer = try pipelineAnswer(handle, entry.command.label, &wait)
        }
        waiting.removeFirst()
        entry.finish(answer)
      }
      if PQexitPipelineMode(handle.pointer) != 1 { giveUp() }
    } catch {
      for entry in waiting { entry.finish(.failure(error)) }
    }
  }

  /// The answer of the next statement up to its Sync.
  private func pipelineAnswer(
    _ handle: ConnectionHandle, _ label: String, _ wait: inout StatementWait
  ) throws(PostgresError) -> Result<ResultSet, PostgresError> {
    var answer: ResultSet?
    var failure: PostgresError?
    while true {
      guard let result = try nextResult(handle, &wait) else {
        if PQstatus(handle.pointer) == CONNECTION_BAD { throw lost(handle) }
        continue
      }
      switch result.status {
      case PGRES_PIPELINE_SYNC:
        if let failure { return .failure(failure) }
        guard let answer else { throw lost(handle) }
        return .success(answer)
      case PGRES_FATAL_ERROR, PGRES_PIPELINE_ABORTED, PGRES_BAD_RESPONSE:
        guard let report = ServerError(result.pointer, statement: label), !report.sqlState.hasPrefix("57P0")
        else { throw lost(handle) }
        if report.sqlState == "57014", let reason = wait.cancelled {
          failure = reason
        } else {
          failure = .server(report)
        }
      default: answer = result
      }
    }
  }

  private func result<R>(_ body: () throws(PostgresError) -> R) -> Result<R, PostgresError> {
    do throws(PostgresError) { return .success(try body()) } catch { return .failure(error) }
  }
}

extension Connection {
  /// The pipeline's answers, decoded, in order.
  func answers<S: Statement>(
    to commands: [Command], as type: S.Type, until deadline: Instant
  ) -> [Result<[S.Row], PostgresError>] {
    let answers = Locked<[Result<[S.Row], PostgresError>]>([])
    let entries = commands.map { command in
      PipelineEntry(command: command) { result in
        let rows = result.flatMap { set in
          do throws(PostgresError) { return Result<[S.Row], PostgresError>.success(try set.rows(S.decode)) } catch {
            return .failure(error)
          }
        }
        answers { $0.append(rows) }
      }
    }
    pipeline(entries, until: deadline)
    return answers { $0 }
  }
}
