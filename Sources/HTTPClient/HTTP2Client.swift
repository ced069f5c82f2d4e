/// HTTP/2 over libcurl: a few loop threads that serve the connections of any number of pools.
///
/// A send doesn't throw: every request ends exactly once with an answer, as never sent, or as unknown.
package final class HTTP2Client: Sendable {
  package let configuration: HTTP2Configuration
  private let loops: [EventLoop]
  private let observe: @Sendable (HTTP2Event) -> Void
  private let numbers = ConnectionNumbers()
  private let pools = Locked<(list: [ConnectionPool], isStopped: Bool)>((list: [], isStopped: false))

  package init(
    _ configuration: HTTP2Configuration, observe: @escaping @Sendable (HTTP2Event) -> Void = { _ in }
  ) throws(HTTPClientError) {
    self.configuration = configuration
    self.observe = observe
    var loops: [EventLoop] = []
    for _ in 0..<max(1, configuration.loopThreads) { loops.append(try EventLoop()) }
    self.loops = loops
  }

  /// A new pool; it opens its first connection when it has something to send.
  package func makePool(_ label: String, origin: Origin) -> ConnectionPool {
    let (pool, home, isStopped): (ConnectionPool, Int, Bool) = pools.withLock { pools in
      pools.list.removeAll { $0.isClosed }
      let home = pools.list.count % loops.count
      let pool = ConnectionPool(
        label: label, origin: origin, configuration: configuration, loops: loops, home: home, numbers: numbers,
        observe: observe)
      pools.list.append(pool)
      return (pool, home, pools.isStopped)
    }
    isStopped ? pool.close() : loops[home].adopt(pool)
    return pool
  }

  /// Ends what waits as never sent, lets requests in flight end for `stopGrace`, then ends the threads.
  package func stop() async {
    let open = pools.withLock { pools in
      pools.isStopped = true
      defer { pools.list.removeAll() }
      return pools.list
    }
    for pool in open { pool.close() }
    await withTaskGroup { group in
      for loop in loops { group.addTask { await loop.stop(grace: self.configuration.stopGrace) } }
    }
  }
}
