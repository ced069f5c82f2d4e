internal import CPostgres
internal import Glibc

/// Sending and collecting under `poll`, with deadline, cancellation and loss told apart.
extension Connection {
  /// One statement (or script) and its whole answer. Only when the server is ready again is it known what happened:
  /// in the extended protocol a row count comes before the commit that may still fail.
  func exchange(
    _ label: String, until deadline: Instant, _ send: (OpaquePointer) -> Int32
  ) throws(PostgresError) -> ResultSet {
    let handle = try ready(until: deadline)
    guard send(handle.pointer) == 1 else { throw refusedByLibpq(handle) }
    var wait = StatementWait(deadline: deadline, grace: configuration.cancelGrace)
    try flush(handle, &wait)
    var collected = Collected()
    while let result = try nextResult(handle, &wait) { collected.add(result) }
    return try conclude(collected, label, handle, wait)
  }

  /// The handle, when nothing speaks against sending now.
  func ready(until deadline: Instant) throws(PostgresError) -> ConnectionHandle {
    noteUnsent(true)
    guard let handle else { throw .unavailable("the connection is closed") }
    if interrupt.isRequested { throw .cancelled }
    if deadline <= .now { throw .deadline }
    // An idle server says nothing; if it did, it ended the session. Nothing was sent, so this is harmless.
    var socket = pollfd(fd: PQsocket(handle.pointer), events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&socket, 1, 0) == 0 else {
      giveUp()
      throw .unavailable("the server had closed the connection")
    }
    noteUnsent(false)
    return handle
  }

  func flush(_ handle: ConnectionHandle, _ wait: inout StatementWait) throws(PostgresError) {
    while true {
      switch PQflush(handle.pointer) {
      case 0: return
      case 1:
        // Read as well: a server that can't get rid of its answers reads nothing more.
        if try poll(handle, Int16(POLLIN | POLLOUT), &wait) & Int16(POLLIN) != 0 { try consume(handle) }
      default: throw lost(handle)
      }
    }
  }

  /// nil at the end of one statement's answer.
  func nextResult(_ handle: ConnectionHandle, _ wait: inout StatementWait) throws(PostgresError) -> ResultSet? {
    guard let result = try anyResult(handle, &wait) else { return nil }
    switch result.status {
    case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
      giveUp()
      throw .outcomeUnknown("COPY isn't spoken here")
    default: return result
    }
  }

  /// The same, where a COPY may begin.
  func anyResult(_ handle: ConnectionHandle, _ wait: inout StatementWait) throws(PostgresError) -> ResultSet? {
    while PQisBusy(handle.pointer) == 1 {
      _ = try poll(handle, Int16(POLLIN), &wait)
      try consume(handle)
    }
    return PQgetResult(handle.pointer).map(ResultSet.init)
  }

  /// What a complete answer means. 57P0x says that the server ended the session instead of the statement.
  func conclude(
    _ collected: Collected, _ label: String, _ handle: ConnectionHandle, _ wait: StatementWait
  ) throws(PostgresError) -> ResultSet {
    if let error = collected.error {
      guard let report = ServerError(error.pointer, statement: label) else { throw lost(handle) }
      let isDead = PQstatus(handle.pointer) == CONNECTION_BAD
      if isDead || report.sqlState.hasPrefix("57P0") { giveUp() }
      if report.sqlState.hasPrefix("57P0") {
        throw collected.last == nil && label != "COMMIT" ? .unavailable(report.sqlState) : loss(report.sqlState)
      }
      if report.sqlState == "57014", let reason = wait.cancelled { throw reason }
      throw .server(report)
    }
    guard let last = collected.last else { throw lost(handle) }
    return last
  }

  private func consume(_ handle: ConnectionHandle) throws(PostgresError) {
    // After a fatal error the message is already here, and the end of the stream only follows it.
    if PQconsumeInput(handle.pointer) == 0, PQisBusy(handle.pointer) == 1 { throw lost(handle) }
  }

  /// Waits for the socket; at the deadline or when the task is cancelled it asks the server to stop, then waits
  /// once more.
  private func poll(
    _ handle: ConnectionHandle, _ events: Int16, _ wait: inout StatementWait
  ) throws(PostgresError) -> Int16 {
    while true {
      var descriptors = [
        pollfd(fd: PQsocket(handle.pointer), events: events, revents: 0),
        pollfd(fd: wait.cancelled == nil ? interrupt.descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = Glibc.poll(&descriptors, 2, wait.milliseconds)
      if count < 0, errno != EINTR { throw lost(handle) }
      if descriptors[0].revents != 0 { return descriptors[0].revents | (events & Int16(POLLIN)) }
      if count < 0 || (count == 0 && !wait.isOver) { continue }
      guard wait.cancelled == nil else {
        giveUp()
        throw inTransaction ? wait.cancelled ?? .deadline : .outcomeUnknown("no answer to a cancellation")
      }
      wait.cancel(count == 0 ? .deadline : .cancelled)
      StatementCancel.send(for: handle)
    }
  }

  func lost(_ handle: ConnectionHandle) -> PostgresError {
    let reason = handle.lastMessage
    giveUp()
    return loss(reason.isEmpty ? "the connection was lost" : reason)
  }

  /// A transaction that wasn't committed is surely gone with its connection.
  private func loss(_ reason: String) -> PostgresError {
    inTransaction ? .unavailable(reason) : .outcomeUnknown(reason)
  }

  /// libpq didn't take the statement (too many parameters, out of memory), so nothing was sent.
  func refusedByLibpq(_ handle: ConnectionHandle) -> PostgresError {
    let reason = handle.lastMessage
    giveUp()
    return .unavailable(reason)
  }
}

/// The results of one statement: the first error counts, else the last result.
struct Collected {
  var error: ResultSet?
  var last: ResultSet?

  mutating func add(_ result: ResultSet) {
    switch result.status {
    case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR: if error == nil { error = result }
    default: last = result
    }
  }
}
