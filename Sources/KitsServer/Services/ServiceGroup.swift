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
    /// `start()` came back, with the reason when it failed.
    case startReturned(String?)
    case ended(index: Int, reason: String)
    case deadline
    case drained
  }

  private typealias Inbox = AsyncStream<Occurrence>

  /// Why waiting is over.
  private enum Verdict {
    case started, signalled, failed
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
    let (occurrences, inbox) = Inbox.makeStream()
    let signalTask = Task {
      for await signal in signals { inbox.yield(.signal(signal)) }
    }
    defer { signalTask.cancel() }
    var iterator = occurrences.makeAsyncIterator()
    var running: [Running] = []
    var verdict = Verdict.started
    for (index, service) in services.enumerated() where verdict == .started {
      verdict = await start(service, inbox, &iterator)
      if verdict == .started { running.append(launch(service, index, inbox)) }
    }
    if verdict == .started { verdict = await wait(&iterator) }
    let isDrained = await stopAll(running, inbox, &iterator)
    let code: ExitCode = verdict == .signalled && isDrained ? .success : .failure
    observe(.finished(code))
    return code
  }

  /// A signal or the failure of an earlier service ends the wait for a start that takes long.
  private func start(
    _ service: any Service, _ inbox: Inbox.Continuation, _ iterator: inout Inbox.AsyncIterator
  ) async -> Verdict {
    let starting = Task {
      do {
        try await service.start()
        inbox.yield(.startReturned(nil))
      } catch {
        inbox.yield(.startReturned("\(error)"))
      }
    }
    let verdict = await wait(&iterator, starting: service.name)
    if verdict != .started { starting.cancel() }
    return verdict
  }

  /// Not in a task group: a service that ignores its stop must not keep the process from ending.
  private func launch(_ service: any Service, _ index: Int, _ inbox: Inbox.Continuation) -> Running {
    observe(.started(service.name))
    let task = Task {
      do {
        try await service.run()
        inbox.yield(.ended(index: index, reason: "returned"))
      } catch {
        inbox.yield(.ended(index: index, reason: "\(error)"))
      }
    }
    return Running(index: index, service: service, task: task)
  }

  private func wait(_ iterator: inout Inbox.AsyncIterator, starting name: String = "") async -> Verdict {
    while let occurrence = await iterator.next() {
      switch occurrence {
      case .startReturned(nil): return .started
      case .startReturned(let reason?):
        observe(.failed(name, reason))
        return .failed
      case .signal(let number):
        observe(.signalled(number))
        return .signalled
      case .ended(let index, let reason):
        observe(.failed(services[index].name, reason))
        return .failed
      case .deadline, .drained: continue
      }
    }
    return .failed
  }

  private func stopAll(
    _ running: [Running], _ inbox: Inbox.Continuation, _ iterator: inout Inbox.AsyncIterator
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
      case .ended, .signal, .startReturned: continue
      }
    }
    return false
  }
}
