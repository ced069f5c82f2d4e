import CCurl
import Foundation

/// What libcurl alone can do on this machine: loop threads with epoll and nothing else.
enum BareLoop {
  struct Result: Sendable {
    let completed: Int
    let failed: Int
    /// From the first answer of any connection to the end.
    let seconds: Double
    let cpuSeconds: Double
  }

  static var library: String {
    String(cString: curl_version()).split(separator: " ").first.map(String.init) ?? "libcurl"
  }

  /// Carried from the threads to the one that waits for them.
  private struct Share: Sendable {
    var completed = 0
    var failed = 0
    var firstAnswerAt = UInt64.max
    var problem: String?
  }

  static func run(_ job: BareJob) throws(BenchError) -> Result {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    let cpu = Child.ownCPUSeconds
    let budget = BareBudget(job.count)
    let shares = (0..<job.threads).map { _ in Locked(Share()) }
    let group = DispatchGroup()
    for (index, share) in shares.enumerated() {
      group.enter()
      Thread {
        let value = work(job, budget, thread: index)
        share.withLock { $0 = value }
        group.leave()
      }.start()
    }
    group.wait()
    let end = Moment.monotonic
    let values = shares.map { $0.withLock { $0 } }
    if let problem = values.compactMap(\.problem).first { throw BenchError(problem) }
    let start = values.map(\.firstAnswerAt).min() ?? end
    return Result(
      completed: values.reduce(0) { $0 + $1.completed }, failed: values.reduce(0) { $0 + $1.failed },
      seconds: Double(end - min(start, end)) / 1e9, cpuSeconds: Child.ownCPUSeconds - cpu)
  }

  /// One thread with its part of the connections.
  private static func work(_ job: BareJob, _ budget: BareBudget, thread: Int) -> Share {
    var share = Share()
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    defer { close(epoll) }
    var connections: [BareConnection] = []
    do throws(BenchError) {
      for _ in stride(from: thread, to: job.connections, by: job.threads) {
        connections.append(try BareConnection(connections.count, job, budget, epoll: epoll))
      }
    } catch {
      share.problem = error.description
      return share
    }
    for connection in connections { connection.start() }
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    while connections.contains(where: { !$0.isDone }) {
      let due = connections.map(\.timerDue).min() ?? .max
      let now = Moment.monotonic
      let wait = due <= now ? 0 : min(1_000, (due - now + 999_999) / 1_000_000)
      let ready = epoll_wait(epoll, &events, Int32(events.count), Int32(wait))
      for event in events.prefix(Int(max(0, ready))) {
        let data = event.data.u64
        connections[Int(data >> 32)].act(on: Int32(truncatingIfNeeded: data & 0xffff_ffff), event.events)
      }
      let after = Moment.monotonic
      for connection in connections where connection.timerDue <= after { connection.actOnTimer() }
      for connection in connections { connection.turn() }
    }
    for connection in connections {
      share.completed += connection.completed
      share.failed += connection.failed
      share.firstAnswerAt = min(share.firstAnswerAt, connection.firstAnswerAt ?? .max)
    }
    return share
  }
}
