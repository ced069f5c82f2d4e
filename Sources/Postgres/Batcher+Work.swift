internal import Synchronization

extension Batcher {
  enum Settlement: Sendable {
    case answer(Answer)
    case busy
    case failed(PostgresError)

    init(_ result: BatchResult<Answer>) {
      switch result {
      case .answer(let answer): self = .answer(answer)
      case .busy: self = .busy
      }
    }

    var isBusy: Bool {
      if case .busy = self { return true }
      return false
    }
  }

  /// Answers every request of the batch, in its order, whatever it takes.
  func work(for batch: [Item]) async -> [Settlement] {
    var attempt = BatchAttempt(limits: limits)
    pool.observe(.batchSent(batcher: name, rows: batch.count))
    while true {
      do {
        return try await once(batch.map(\.request), attempt).map(Settlement.init)
      } catch {
        let verdict = BatchVerdict(
          error, rows: batch.count, touched: attempt.touched, repeats: attempt.repeats, limits: limits)
        switch verdict {
        case .again:
          attempt.repeats += 1
          pool.observe(.batchRepeated(batcher: name, sqlState: error.sqlState ?? ""))
          await attempt.pause()
        case .replay:
          attempt.lost()
          if attempt.isOver { return fail(batch, .outcomeUnknown("the database didn't come back in time")) }
          pool.observe(.batchReplayed(batcher: name, rows: batch.count))
          if case .unavailable = error { failQueued(error) }
          await attempt.pause()
        case .isolate:
          pool.observe(.batchIsolated(batcher: name, rows: batch.count, sqlState: error.sqlState ?? ""))
          return await isolated(batch)
        case .fail(let error):
          return fail(batch, error)
        }
      }
    }
  }

  /// One try of the whole batch on one connection.
  private func once(
    _ requests: [Request], _ attempt: BatchAttempt
  ) async throws(PostgresError) -> [BatchResult<Answer>] {
    let results = try await pool.lend(name, nil, false) { (connection, _) throws(PostgresError) in
      let executor = LaneExecutor(
        connection: connection, timeout: pool.configuration.statementTimeout, progress: attempt.progress)
      do {
        return try await perform(requests, executor)
      } catch let error as PostgresError {
        throw error
      } catch {
        throw .batch(String(describing: type(of: error)))
      }
    }
    guard results.count == requests.count else {
      throw .batch("\(results.count) results for \(requests.count) requests")
    }
    return results
  }

  /// While the database is away, waiting requests are told so rather than left to their deadline.
  private func failQueued(_ error: PostgresError) {
    for item in queue({ $0.removeAll() }) { item.resume(.failure(error)) }
  }

  private func fail(_ batch: [Item], _ error: PostgresError) -> [Settlement] { batch.map { _ in .failed(error) } }

  /// Each request alone, in order; together they still need only one round trip per statement. Those that were lost
  /// with the connection, or asked to be repeated, go on as batches of one.
  private func isolated(_ batch: [Item]) async -> [Settlement] {
    var settlements = await singles(batch)
    for (index, item) in batch.enumerated() {
      guard case .failed(let error) = settlements[index], error.lostConnection || error.asksToRepeat else { continue }
      settlements[index] = await work(for: [item])[0]
    }
    return settlements
  }

  private func singles(_ batch: [Item]) async -> [Settlement] {
    do throws(PostgresError) {
      return try await pool.lend(name, nil, false) { (connection, _) throws(PostgresError) in
        let pipeline = BatchPipeline(
          connection: connection, timeout: pool.configuration.statementTimeout, members: batch.count)
        return await self.singles(batch.map(\.request), pipeline)
      }
    } catch {
      return fail(batch, error)
    }
  }

  private func singles(_ requests: [Request], _ pipeline: BatchPipeline) async -> [Settlement] {
    await withTaskGroup(of: (Int, Settlement).self) { group in
      for (index, request) in requests.enumerated() {
        group.addTask {
          let settlement = await self.single(request, pipeline.executor(index))
          pipeline.leave()
          return (index, settlement)
        }
      }
      var settlements = [Settlement](repeating: .busy, count: requests.count)
      for await (index, settlement) in group { settlements[index] = settlement }
      return settlements
    }
  }

  private func single(_ request: Request, _ executor: any BatchExecutor) async -> Settlement {
    do {
      let results = try await perform([request], executor)
      return results.first.map(Settlement.init) ?? .failed(.batch("no result for a request"))
    } catch let error as PostgresError {
      return .failed(error)
    } catch {
      return .failed(.batch(String(describing: type(of: error))))
    }
  }
}
