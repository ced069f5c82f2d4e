/// Starts services in order, waits for a signal or a failure, and stops them in reverse order within one deadline.
struct ServiceGroup: Sendable {
  enum Event: Sendable {
    case started(String)
    /// `start()` or `run()` threw, or `run()` returned although nobody asked.
    case failed(String, String)
    case signalled(Int32)
    case stopped(String)
    /// These had not stopped when the deadline passed; they are abandoned.
    case drainDeadlineExceeded([String])
    case finished(ExitCode)

    /// From here on no new traffic should come.
    var endsReadiness: Bool {
      switch self {
      case .failed, .signalled: true
      case .started, .stopped, .drainDeadlineExceeded, .finished: false
      }
    }
  }

  private enum Occurrence: Sendable {
    case signal(Int32)
    case ended(index: Int, reason: String)
    case deadline
    case drained
  }

  private struct Running: Sendable {
    let index: Int
    let service: any Service
    let task: Task<Void, Never>
  }

  let services: [any Service]
  let drain: Duration
  let observe: @Sendable (Event) -> Void

  /// Runs until a signal arrives or a service ends. 0 after a signal and a clean stop, else 1.
  func run(until signals: AsyncStream<Int32>) async -> ExitCode {
    let (occurrences, inbox) = AsyncStream.makeStream(of: Occurrence.self)
    let signalTask = Task {
      for await signal in signals { inbox.yield(.signal(signal)) }
    }
    defer { signalTask.cancel() }
    var iterator = occurrences.makeAsyncIterator()
    let (running, isStarted) = await startAll(inbox)
    let isOrderly = isStarted ? await waitForEnd(&iterator) : false
    let isDrained = await stopAll(running, inbox, &iterator)
    let code: ExitCode = isOrderly && isDrained ? .success : .failure
    observe(.finished(code))
    return code
  }

  private func startAll(_ inbox: AsyncStream<Occurrence>.Continuation) async -> ([Running], Bool) {
    var running: [Running] = []
    for (index, service) in services.enumerated() {
      do { try await service.start() } catch {
        observe(.failed(service.name, "\(error)"))
        return (running, false)
      }
      // Not a task group: a service that ignores its stop must not keep the process from ending.
      let task = Task {
        do {
          try await service.run()
          inbox.yield(.ended(index: index, reason: "returned"))
        } catch {
          inbox.yield(.ended(index: index, reason: "\(error)"))
        }
      }
      running.append(Running(index: index, service: service, task: task))
      observe(.started(service.name))
    }
    return (running, true)
  }

  /// True for a signal, false for a service that ended.
  private func waitForEnd(_ iterator: inout AsyncStream<Occurrence>.AsyncIterator) async -> Bool {
    while let occurrence = await iterator.next() {
      switch occurrence {
      case .signal(let number):
        observe(.signalled(number))
        return true
      case .ended(let index, let reason):
        observe(.failed(services[index].name, reason))
        return false
      case .deadline, .drained: continue
      }
    }
    return false
  }

  private func stopAll(
    _ running: [Running], _ inbox: AsyncStream<Occurrence>.Continuation,
    _ iterator: inout AsyncStream<Occurrence>.AsyncIterator
  ) async -> Bool {
    let stopped = Locked<Set<Int>>([])
    let stopping = Task { [observe] in
      for entry in running.reversed() {
        await entry.service.stop()
        await entry.task.value
        if Task.isCancelled { return }
        _ = stopped.withLock { $0.insert(entry.index) }
        observe(.stopped(entry.service.name))
      }
      inbox.yield(.drained)
    }
    let deadline = Task { [drain] in
      do { try await Task.sleep(for: drain) } catch { return }
      inbox.yield(.deadline)
    }
    defer { deadline.cancel() }
    var isClean = true
    while let occurrence = await iterator.next() {
      switch occurrence {
      case .drained: return isClean
      case .deadline:
        stopping.cancel()
        for entry in running { entry.task.cancel() }
        let left = stopped.withLock { done in running.filter { !done.contains($0.index) } }
        observe(.drainDeadlineExceeded(left.map(\.service.name)))
        return false
      case .ended(let index, let reason) where reason != "returned":
        observe(.failed(services[index].name, reason))
        isClean = false
      case .ended, .signal: continue
      }
    }
    return false
  }
}
