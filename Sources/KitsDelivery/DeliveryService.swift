package import APNs
package import Crypto
package import KitsCore
package import KitsStore

/// The delivery half of a node: a planner, lanes that dispatch, retries and a sweeper, each a loop at its own pace.
package final class DeliveryService: Sendable {
  private let store: DeliveryStore
  private let configuration: DeliveryConfiguration
  private let observe: @Sendable (DeliveryEvent) -> Void
  private let stopping = StopFlag()
  private let scheduleBell = Bell()
  private let planBell = Bell()
  private let laneBell = Bell()
  private let singlesBell = Bell()
  private let retryBell = Bell()
  private let sweepBell = Bell()
  private let keepBell = Bell()
  private let retentionBell = Bell()
  private let reportBell = Bell()
  private let board: MessageBoard
  private let cache: MessageCache
  private let dispatcher: Dispatcher
  private let singles: SinglesDispatcher
  private let retries: RetryWorker
  private let scheduler: Scheduler
  private let planner: Planner
  private let sweeper: Sweeper
  private let retentionStore: RetentionStore
  private let retention: RetentionSweeper
  private let reports: ReportKeeper

  /// Nil when the minting key of the ring has an id that is too long for a payload; the configuration takes none.
  ///
  /// - Parameter compose: makes the message of what was kept of a scheduled one.
  package init?(
    store: DeliveryStore, retentionStore: RetentionStore, client: APNsClient, ring: KeyRing,
    configuration: DeliveryConfiguration, compose: @escaping @Sendable (DueMessage) async throws -> NewMessage,
    observe: @escaping @Sendable (DeliveryEvent) -> Void
  ) {
    guard let marker = DeliveryMarker(ring: ring) else { return nil }
    self.store = store
    self.retentionStore = retentionStore
    self.configuration = configuration
    self.observe = observe
    board = MessageBoard(store: store, interval: configuration.pollInterval)
    cache = MessageCache(store: store, trust: configuration.messageTrust)
    let reasons = ReasonCodes(store: store, observe: observe)
    let reporter = Reporter(store: store, observe: observe)
    let tokens = ProviderTokens(store: store, ring: ring, observe: observe)
    let breaker = CircuitBreaker(
      store: store.circuits, tokens: tokens, policy: configuration.breaker, observe: observe)
    let settlement = Settlement(
      breaker: breaker, reasons: reasons, reporter: reporter, policy: configuration.retry)
    let sender = Sender(client: client, tokens: tokens, observe: observe)
    let (stopping, laneBell, board) = (stopping, laneBell, board)
    let (planBell, singlesBell) = (planBell, singlesBell)
    dispatcher = Dispatcher(
      store: store, sender: sender, settlement: settlement, marker: marker, configuration: configuration,
      observe: observe,
      isStopping: { stopping.isSet })
    singles = SinglesDispatcher(
      store: store, sender: sender, settlement: settlement, marker: marker, configuration: configuration,
      observe: observe)
    retries = RetryWorker(
      store: store, cache: cache, sender: sender, breaker: breaker, reasons: reasons, reporter: reporter,
      marker: marker,
      configuration: configuration, observe: observe)
    scheduler = Scheduler(
      store: store.schedules, compose: compose, observe: observe,
      wake: {
        await singlesBell.ring()
        await planBell.ring()
        await laneBell.ring()
      })
    planner = Planner(
      store: store, configuration: configuration, observe: observe, isStopping: { stopping.isSet },
      wake: {
        do {
          try await board.refresh()
        } catch {
          // The lanes look for themselves soon.
        }
        await laneBell.ring()
      })
    sweeper = Sweeper(store: store, cache: cache, observe: observe)
    retention = RetentionSweeper(
      store: retentionStore, rules: configuration.retentionRules, observe: observe,
      isStopping: { stopping.isSet })
    reports = ReportKeeper(
      store: retentionStore, rules: configuration.retentionRules, interval: configuration.reportInterval,
      observe: observe, isStopping: { stopping.isSet })
  }

  /// Something was created on this node: look now instead of at the next poll.
  package func wake() {
    Task {
      await scheduleBell.ring()
      await singlesBell.ring()
      await planBell.ring()
      await laneBell.ring()
    }
  }

  /// Runs until `stop` was called and every lane has written what it sent.
  package func run() async {
    let (poll, sweep, keep) = (
      configuration.pollInterval, configuration.sweepInterval, configuration.housekeepingInterval
    )
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await self.loop("schedule", idle: self.configuration.scheduleInterval, bell: self.scheduleBell) {
          try await self.scheduler.workOnce()
        }
      }
      group.addTask { await self.loop("plan", idle: poll, bell: self.planBell) { try await self.planner.workOnce() } }
      for _ in 0..<configuration.lanes {
        group.addTask { await self.loop("dispatch", idle: poll, bell: self.laneBell) { try await self.dispatchOnce() } }
      }
      group.addTask {
        await self.loop("singles", idle: poll, bell: self.singlesBell) { try await self.singles.workOnce() }
      }
      group.addTask {
        await self.loop("retry", idle: poll, bell: self.retryBell) { try await self.retries.workOnce() > 0 }
      }
      group.addTask {
        await self.loop("sweep", idle: sweep, bell: self.sweepBell) {
          try await self.sweeper.sweep()
          return false
        }
      }
      group.addTask {
        await self.loop("housekeeping", idle: keep, bell: self.keepBell) {
          try await self.store.housekeeping()
          return false
        }
      }
      group.addTask {
        await self.loop("retention", idle: self.configuration.retentionInterval, bell: self.retentionBell) {
          try await self.retention.sweep(now: try await self.retentionStore.now())
          return false
        }
      }
      group.addTask {
        await self.loop("reports", idle: self.configuration.reportInterval, bell: self.reportBell) {
          try await self.reports.keep(now: try await self.retentionStore.now())
          return false
        }
      }
    }
  }

  /// Lanes end their window, write it and give their chunk back.
  package func stop() async {
    stopping.set()
    let bells = [
      scheduleBell, planBell, laneBell, singlesBell, retryBell, sweepBell, keepBell, retentionBell, reportBell,
    ]
    for bell in bells { await bell.silence() }
  }

  /// Repeats `work` while it finds something; waits for the bell otherwise, and after trouble.
  private func loop(
    _ activity: String, idle: Duration, bell: Bell, _ work: @Sendable () async throws -> Bool
  ) async {
    var pause = Duration.milliseconds(100)
    while !stopping.isSet {
      do {
        if try await !work() { await bell.wait(upTo: idle) }
        pause = .milliseconds(100)
      } catch {
        observe(.troubled(activity: activity, problem: String(describing: error)))
        await bell.wait(upTo: pause)
        pause = min(pause * 2, .seconds(5))
      }
    }
  }

  private func dispatchOnce() async throws -> Bool {
    guard let open = try await board.next() else { return false }
    guard let message = try await cache.message(open) else {
      await board.drop(open)
      return true
    }
    if try await !dispatcher.workOnChunk(of: message) {
      await board.drop(open)
      await cache.forget(open)
    }
    return true
  }
}
