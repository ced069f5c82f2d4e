internal import CMicrohttpd
internal import Glibc

/// An HTTP/1.1 server: takes connections on its own threads, runs each handler as a Swift task.
package final class Server: Sendable {
  private let configuration: ServerConfiguration
  private let core: ServerCore
  private let state = Guarded(State.created)

  private enum State {
    case created
    case running(Running)
    case stopped
  }

  // Unchecked for the daemon's pointer: the library locks its daemon itself.
  private struct Running: @unchecked Sendable {
    let daemon: OpaquePointer
    /// The library's to close.
    let socket: Int32
    let port: Int
    let watchdog: Watchdog
  }

  package init(
    _ configuration: ServerConfiguration, router: Router,
    observe: @escaping @Sendable (HTTPServerEvent) -> Void = { _ in }
  ) {
    self.configuration = configuration
    core = ServerCore(router: router, limits: configuration.limits, observe: observe)
  }

  /// Takes requests from here on. A server starts once.
  package func start() throws(HTTPServerError) {
    let port = try state.withLock { state throws(HTTPServerError) in
      guard case .created = state else { throw .alreadyStarted }
      let running = try launch()
      state = .running(running)
      return running.port
    }
    core.observe(.listening(port: port))
  }

  /// The port listened on; 0 before the start and after the stop.
  package var port: Int {
    state.withLock { if case .running(let running) = $0 { running.port } else { 0 } }
  }

  /// Connections open now, for a gauge.
  package var connectionCount: Int { core.registry.count }

  /// Takes no new connection, lets running requests finish for up to `grace`, answers 503 for those that don't, closes
  /// everything. Calling it again, or before `start`, does nothing.
  package func stop(grace: Duration) async {
    let running = state.withLock { state -> Running? in
      guard case .running(let running) = state else { return nil }
      state = .stopped
      return running
    }
    guard let running else { return }
    await withCheckedContinuation { continuation in
      Thread.start { [self] in
        shutDown(running, grace: grace)
        continuation.resume()
      }
    }
  }

  private func launch() throws(HTTPServerError) -> Running {
    let socket = try ListeningSocket.open(host: configuration.host, port: configuration.port)
    let port = ListeningSocket.port(of: socket)
    let retained = Unmanaged.passRetained(core)
    var options = LibraryCallbacks.options(
      core: retained.toOpaque(), socket: socket, threads: max(1, configuration.threads), limits: configuration.limits)
    guard let daemon = kits_mhd_start(&options) else {
      retained.release()
      close(socket)
      throw .libraryRefused
    }
    let watchdog = makeWatchdog()
    watchdog.start()
    return Running(daemon: daemon, socket: socket, port: port, watchdog: watchdog)
  }

  private func makeWatchdog() -> Watchdog {
    Watchdog(
      registry: core.registry, limits: core.limits,
      farewell: { [core] deadline, _ in
        guard deadline == .head || deadline == .body else { return [] }
        let requestID = core.ids.next()
        return ResponseFields.serialized(core.fault(.timeout, requestID: requestID), requestID: requestID)
      },
      expired: { [core] deadline, connection in
        core.observe(.deadlinePassed(deadline, remoteAddress: connection.remoteAddress))
      })
  }

  /// Blocks. The library aborts the process when it's stopped with a suspended connection, so that comes last.
  private func shutDown(_ running: Running, grace: Duration) {
    let count = core.load.withLock { load in
      load.phase = .draining
      return load.running
    }
    core.observe(.draining(running: count))
    // Not MHD_quiesce_daemon: the library's threads and this one may both take the socket out of an epoll set then, and
    // the library aborts the process when it isn't there any more.
    ListeningSocket.retire(running.socket)
    closeWhenQuiet(before: .now + grace)
    var abandoned = 0
    while core.load.withLock({ $0.suspended > 0 }) {
      for exchange in core.registry.exchanges where exchange.abandon() { abandoned += 1 }
      core.load.wait(until: .now + .milliseconds(20)) { $0.suspended == 0 }
    }
    // For the last answers to reach their sockets.
    core.load.wait(until: .now + .seconds(1)) { $0.running == 0 }
    // 0.9.75 dereferences null when it wants to refuse a malformed request while it's being stopped: nothing must be
    // left to read by then.
    core.registry.closeAll(until: .now + .seconds(2))
    MHD_stop_daemon(running.daemon)
    running.watchdog.stop()
    Unmanaged.passUnretained(core).release()
    core.observe(.stopped(abandoned: abandoned))
  }

  /// Looks and closes under one lock: what begins in between is served, not refused.
  private func closeWhenQuiet(before deadline: Instant) {
    while true {
      core.load.wait(until: deadline) { $0.running == 0 }
      let isClosed = core.load.withLock { load in
        guard load.running == 0 || Instant.now >= deadline else { return false }
        load.phase = .closing
        return true
      }
      if isClosed { return }
    }
  }
}
