package import Crypto
package import HTTPClient
package import KitsStore

/// Tells customers' backends what happened: events get their numbers, and endpoints get the events. It shares nothing
/// with the delivery of messages but the database.
package final class WebhookService: Sendable {
  private let store: WebhookWorkStore
  private let configuration: WebhookConfiguration
  private let observe: @Sendable (WebhookReport) -> Void
  private let stopping = StopFlag()
  private let numberBell = Bell()
  private let workBells: [Bell]
  private let worker: WebhookWorker

  /// - Parameters:
  ///   - http: as the operator set it up; the service bounds its time and its answers.
  ///   - now: seconds since 1970, for signatures.
  package init(
    store: WebhookWorkStore, http: SimpleHTTP, ring: KeyRing, configuration: WebhookConfiguration,
    now: @escaping @Sendable () -> Int64, observe: @escaping @Sendable (WebhookReport) -> Void
  ) {
    self.store = store
    self.configuration = configuration
    self.observe = observe
    workBells = (0..<configuration.workers).map { _ in Bell() }
    var bounded = http
    bounded.timeout = configuration.requestTimeout
    bounded.connectTimeout = min(.seconds(5), configuration.requestTimeout)
    bounded.bodyLimit = Self.answerLimit
    bounded.overflow = .cut
    bounded.idle = IdleHandles(limit: configuration.workers * configuration.lanes)
    worker = WebhookWorker(
      store: store, sender: WebhookSender(http: bounded, now: now), ring: ring, configuration: configuration,
      observe: observe, isStopping: { [stopping] in stopping.isSet })
  }

  /// Nobody reads what an endpoint answers; a few lines keep the connection usable.
  private static let answerLimit = 16_384

  /// Something happened on this node: look now instead of at the next poll.
  package func wake() {
    Task { await numberBell.ring() }
  }

  /// Runs until `stop` was called and what was sent is written.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await self.loop("number_events", idle: self.configuration.numberInterval, bell: self.numberBell) {
          try await self.numberOnce()
        }
      }
      for bell in workBells {
        group.addTask {
          await self.loop("webhooks", idle: self.configuration.workInterval, bell: bell) {
            try await self.worker.workOnce()
          }
        }
      }
    }
  }

  package func stop() async {
    stopping.set()
    for bell in [numberBell] + workBells { await bell.silence() }
  }

  private func numberOnce() async throws -> Bool {
    let count = try await store.numberEvents(limit: configuration.numberedAtOnce)
    guard count > 0 else { return false }
    observe(.numbered(count: Int(count)))
    for bell in workBells { await bell.ring() }
    return count >= Int64(configuration.numberedAtOnce)
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
}
