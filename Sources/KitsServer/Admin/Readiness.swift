/// Whether this process should get traffic: every registered check has to agree.
final class Readiness: Sendable {
  /// Nil when fine, else the reason, in words that may be shown.
  typealias Check = @Sendable () async -> String?

  struct Reason: Sendable, Equatable {
    let check: String
    let reason: String
  }

  /// A check that takes longer counts as failed: a load balancer has given up by then.
  static let deadline = Duration.seconds(2)

  private struct State: Sendable {
    var checks: [(name: String, check: Check)] = []
    var isDraining = false
  }

  private let deadline: Duration
  private let state = Locked(State())

  init(deadline: Duration = Readiness.deadline) {
    self.deadline = deadline
  }

  func register(_ name: String, _ check: @escaping Check) {
    state.withLock { $0.checks.append((name, check)) }
  }

  /// From now on not ready, for good.
  func drain() {
    state.withLock { $0.isDraining = true }
  }

  /// What stands in the way, in order of registration; empty means ready.
  func reasons() async -> [Reason] {
    let (checks, isDraining) = state.withLock { ($0.checks, $0.isDraining) }
    if isDraining { return [Reason(check: "process", reason: "draining")] }
    return await withTaskGroup(of: (Int, Reason?).self) { group in
      for (index, entry) in checks.enumerated() {
        group.addTask { [deadline] in
          let reason = await Readiness.bounded(entry.check, deadline)
          return (index, reason.map { Reason(check: entry.name, reason: $0) })
        }
      }
      var found: [(Int, Reason)] = []
      for await (index, reason) in group {
        if let reason { found.append((index, reason)) }
      }
      return found.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Unstructured on purpose: a check that doesn't react to cancellation must not hold up the answer.
  private static func bounded(_ check: @escaping Check, _ deadline: Duration) async -> String? {
    let (stream, continuation) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingOldest(1))
    let work = Task { continuation.yield(await check()) }
    let timer = Task {
      do { try await Task.sleep(for: deadline) } catch { return }
      continuation.yield("no answer in time")
    }
    defer {
      work.cancel()
      timer.cancel()
    }
    for await answer in stream { return answer }
    return "check was cancelled"
  }
}
