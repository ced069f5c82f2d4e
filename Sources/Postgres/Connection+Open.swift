internal import CPostgres
internal import Glibc

extension Connection {
  /// Connects and sets the session up. Resolving a host name may block longer than the deadline; only this thread
  /// waits.
  func open() throws(PostgresError) {
    let deadline = Instant.now + configuration.connectTimeout
    let keywords = [
      ("dbname", configuration.url), ("fallback_application_name", configuration.applicationName),
      ("client_encoding", "UTF8"),
    ]
    guard let handle = ConnectionHandle(starting: keywords) else { throw .unavailable("out of memory") }
    do throws(PostgresError) {
      try finishConnecting(handle, until: deadline)
      guard PQsetnonblocking(handle.pointer, 1) == 0 else { throw PostgresError.unavailable(handle.lastMessage) }
      self.handle = handle
      let settings = configuration.settings.map { "SET \($0.name) = '\($0.value)'" }
      if !settings.isEmpty { try script(settings.joined(separator: ";"), label: "SET", until: deadline) }
    } catch {
      giveUp()
      throw asUnavailable(error)
    }
  }

  private func finishConnecting(_ handle: ConnectionHandle, until deadline: Instant) throws(PostgresError) {
    var next = PGRES_POLLING_WRITING
    while PQstatus(handle.pointer) != CONNECTION_BAD {
      switch next {
      case PGRES_POLLING_OK: return
      case PGRES_POLLING_READING: try wait(handle, Int16(POLLIN), deadline)
      case PGRES_POLLING_WRITING: try wait(handle, Int16(POLLOUT), deadline)
      default: throw .unavailable(handle.lastMessage)
      }
      next = PQconnectPoll(handle.pointer)
    }
    throw .unavailable(handle.lastMessage)
  }

  private func wait(_ handle: ConnectionHandle, _ events: Int16, _ deadline: Instant) throws(PostgresError) {
    var descriptor = pollfd(fd: PQsocket(handle.pointer), events: events, revents: 0)
    while true {
      let count = Glibc.poll(&descriptor, 1, (deadline - .now).pollMilliseconds)
      if count > 0 { return }
      if deadline <= .now { throw .unavailable("the server didn't answer in time") }
      if count < 0, errno != EINTR { throw .unavailable("poll failed (error \(errno))") }
    }
  }

  /// While connecting no statement of the caller exists yet, whatever broke.
  private func asUnavailable(_ error: PostgresError) -> PostgresError {
    switch error {
    case .unavailable: error
    case .server(let server): .unavailable("\(server.sqlState) \(server.message ?? "")")
    default: .unavailable("\(error)")
    }
  }
}
