import Crypto
import KitsCore
import KitsStore

/// Works for one endpoint at a time: what has to be asked again, then what is new.
struct WebhookWorker: Sendable {
  let store: WebhookWorkStore
  let sender: WebhookSender
  let ring: KeyRing
  let configuration: WebhookConfiguration
  let observe: @Sendable (WebhookReport) -> Void
  let isStopping: @Sendable () -> Bool

  /// False when no endpoint waits.
  func workOnce() async throws -> Bool {
    guard let claim = try await store.claim() else { return false }
    do {
      try await serve(claim)
    } catch {
      // Fails when the database is away: then the lease ends by itself.
      try? await store.release(claim)
      throw error
    }
    try await store.release(claim)
    return true
  }

  private func serve(_ claim: WebhookClaim) async throws {
    let signature: WebhookSignature
    do {
      signature = try WebhookSignature(claim, ring: ring)
    } catch {
      observe(.secretUnusable(claim.id, problem: "\(error)"))
      let rest = Int64(Limits.webhookPauseMilliseconds)
      _ = try await store.record(
        WebhookTurn(claim: claim, results: [], upTo: nil, isGone: false, pauseMilliseconds: rest))
      return
    }
    let hold = WebhookHold(store: store, claim: claim, configuration: configuration, isStopping: isStopping)
    let due = try await store.due(claim, limit: configuration.retriesPerTurn)
    if !due.tasks.isEmpty {
      guard try await work(on: due, claim, signature, hold) else { return }
    }
    let new = try await store.new(claim, limit: configuration.batch)
    if new.upTo != nil {
      _ = try await work(on: new, claim, signature, hold)
    } else if due.tasks.isEmpty {
      // As many wait as may, and none of them is due: it isn't claimed again at once.
      _ = try await store.record(
        WebhookTurn(
          claim: claim, results: [], upTo: nil, isGone: false, pauseMilliseconds: configuration.restMilliseconds))
    }
  }

  /// False when the endpoint is to be left alone now.
  private func work(
    on batch: WebhookBatch, _ claim: WebhookClaim, _ signature: WebhookSignature, _ hold: WebhookHold
  ) async throws -> Bool {
    let lanes = Self.lanes(batch.tasks, count: configuration.lanes)
    let (results, isGone) = await withTaskGroup(of: (results: [WebhookResult], isGone: Bool).self) { group in
      for lane in lanes {
        group.addTask { await Lane(worker: self, claim: claim, signature: signature, hold: hold).run(lane) }
      }
      var all: [WebhookResult] = []
      var isGone = false
      for await part in group {
        all += part.results
        isGone = isGone || part.isGone
      }
      return (all, isGone)
    }
    let delivered = results.count { $0.verdict == .delivered }
    let isRefusing = delivered == 0 && results.contains { $0.isFailure }
    let turn = WebhookTurn(
      claim: claim, results: results, upTo: batch.upTo, isGone: isGone,
      pauseMilliseconds: isRefusing ? configuration.restMilliseconds : 0)
    let isRecorded = try await store.record(turn)
    report(turn, delivered: delivered, isRecorded: isRecorded)
    return isRecorded && !isRefusing && !isGone
  }

  private func report(_ turn: WebhookTurn, delivered: Int, isRecorded: Bool) {
    let id = turn.claim.id
    if !isRecorded, !turn.results.isEmpty { observe(.leaseLost(id)) }
    if delivered > 0 { observe(.delivered(count: delivered)) }
    let failed = turn.results.filter(\.isFailure)
    if let last = failed.last { observe(.failed(id, count: failed.count, problem: last.problem ?? "")) }
    let dead = turn.results.count { $0.verdict == .dead }
    if dead > 0 { observe(.dead(id, count: dead)) }
    if turn.isGone { observe(.gone(id)) }
  }

  /// Tasks of one subject are in one lane, in their order; lanes are about as long as one another.
  static func lanes(_ tasks: [WebhookTask], count: Int) -> [[WebhookTask]] {
    var lanes = [[WebhookTask]](repeating: [], count: count)
    var homes: [MessageID: Int] = [:]
    for task in tasks {
      let shortest = lanes.indices.min { lanes[$0].count < lanes[$1].count } ?? 0
      let home = task.subject.flatMap { homes[$0] } ?? shortest
      if let subject = task.subject { homes[subject] = home }
      lanes[home].append(task)
    }
    return lanes.filter { !$0.isEmpty }
  }
}

extension WebhookWorker {
  /// Sends one request after the other.
  struct Lane {
    let worker: WebhookWorker
    let claim: WebhookClaim
    let signature: WebhookSignature
    let hold: WebhookHold

    func run(_ tasks: [WebhookTask]) async -> (results: [WebhookResult], isGone: Bool) {
      var results: [WebhookResult] = []
      // Subjects of which something waits now: what follows waits too.
      var waiting: Set<MessageID> = []
      var isGone = false
      for task in tasks {
        if task.isBlocked || task.subject.map(waiting.contains) ?? false {
          results.append(WebhookResult(task, .behind))
          continue
        }
        guard await hold.mayGoOn() else {
          results.append(WebhookResult(task, .untried))
          if let subject = task.subject { waiting.insert(subject) }
          continue
        }
        let answer = await worker.sender.send(task, to: claim, signature)
        if answer == .gone {
          isGone = true
          await hold.end()
        }
        let result = judge(answer, task)
        if result.isWaiting, let subject = task.subject { waiting.insert(subject) }
        results.append(result)
      }
      return (results, isGone)
    }

    private func judge(_ answer: WebhookSender.Answer, _ task: WebhookTask) -> WebhookResult {
      let (status, problem, wish): (Int32, String, Double?)
      switch answer {
      case .taken: return WebhookResult(task, .delivered)
      case .gone: (status, problem, wish) = (410, "the answer was 410: the endpoint is switched off", nil)
      case .refused(let code, let text, let seconds): (status, problem, wish) = (code, text, seconds)
      }
      if task.isOverdue { return WebhookResult(task, .dead, status: status, problem: problem) }
      let delay = worker.configuration.retry.delayMilliseconds(
        after: task.attempts + 1, wish: wish, jitter: Double.random(in: 0..<1))
      return WebhookResult(task, .again(milliseconds: delay), status: status, problem: problem)
    }
  }
}

extension WebhookResult {
  /// A request was made and didn't go through.
  var isFailure: Bool {
    switch verdict {
    case .again, .dead: true
    case .delivered, .behind, .untried: false
    }
  }

  fileprivate var isWaiting: Bool {
    if case .again = verdict { true } else { false }
  }
}
