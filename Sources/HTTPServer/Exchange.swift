internal import CMicrohttpd
internal import Glibc

/// One request and its response.
///
/// Unchecked because the compiler can't see who touches what: every stored property that isn't `let` belongs to the
/// connection's server thread, which calls in one call at a time. The handler's task, and `stop`, only reach `outcome`.
final class Exchange: @unchecked Sendable {
  let core: ServerCore
  let connection: Connection
  /// The library's connection; valid until the library says that this request is completed.
  let handle: OpaquePointer
  let target: TargetPlace
  let started = Instant.now
  /// The connection's server thread.
  let thread = pthread_self()

  var step = Step.created
  var head: RequestHead?
  var requestID = ""
  var match: (route: Route, parameters: PathParameters)?
  var framing = Framing.none
  var body: [UInt8] = []
  /// The connection can't be used for another request after this one.
  var closes = false
  var hasBegun = false
  var requestBytes = 0
  var answer: (status: Int, bytes: Int)?

  private let outcome = Guarded(Outcome())

  enum Step {
    /// The head isn't read yet.
    case created
    case receiving
    /// Refused; the body is read and thrown away before the answer.
    case discarding(Response)
    /// Suspended: the library calls again when the outcome is there.
    case working
    case answered
  }

  private struct Outcome {
    var isSuspended = false
    var response: Response?
    var task: Task<Void, Never>?
    /// The request's, once it is suspended: for `stop`.
    var requestID = ""
    /// What this request's body holds of the bytes in flight.
    var reserved = 0
  }

  init(core: ServerCore, connection: Connection, handle: OpaquePointer, target: TargetPlace) {
    self.core = core
    self.connection = connection
    self.handle = handle
    self.target = target
  }

  /// The library's call: first with the head complete, then once per piece of the body, then without a piece.
  /// - Returns: false closes the connection at once.
  func proceed(
    method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, piece: UnsafePointer<CChar>?,
    count: UnsafeMutablePointer<Int>
  ) -> Bool {
    let bytes = UnsafeRawBufferPointer(start: piece, count: count.pointee)
    count.pointee = 0
    switch step {
    case .created: return begin(method: method, version: version)
    case .receiving: return bytes.isEmpty ? work() : receive(bytes)
    case .discarding(let response): return bytes.isEmpty ? send(response) : true
    case .working: return send(outcome.withLock { $0.response } ?? fault(.shuttingDown))
    case .answered: return true
    }
  }

  /// The application's answer to a fault. The request has an id from here on, if it had none before.
  func fault(_ fault: HTTPFault) -> Response {
    if requestID.isEmpty { requestID = core.ids.next() }
    return core.fault(fault, requestID: requestID)
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let limit = match?.route.effectiveBodyLimit ?? 0
    guard bytes.count <= limit - body.count else { return sendPastLibrary(.payloadTooLarge(limit: limit)) }
    guard core.reserve(bodyBytes: bytes.count) else { return sendPastLibrary(.overloaded) }
    outcome.withLock { $0.reserved += bytes.count }
    if body.isEmpty, case .length(let length) = framing { body.reserveCapacity(min(length, limit)) }
    body.append(contentsOf: bytes)
    requestBytes += bytes.count
    return true
  }

  /// The request is complete: suspends the connection and runs the handler in a task of its own.
  private func work() -> Bool {
    guard let head, let match, connection.enter(.working) else { return false }
    if framing == .chunked, hasForbiddenTrailer() {
      closes = true
      return send(fault(.badRequest(reason: "trailer not allowed")))
    }
    if let fault = core.handlerBegins() { return send(self.fault(fault)) }
    let request = Request(head: head, parameters: match.parameters, body: body)
    body = []
    step = .working
    // Suspended before the task exists: a task that ended first would resume what isn't suspended yet.
    MHD_suspend_connection(handle)
    outcome.withLock { outcome in
      outcome.isSuspended = true
      outcome.requestID = requestID
    }
    let task = Task.detached { [self] in
      let response = await match.route.handle(request)
      releaseBody()
      _ = finish(response)
    }
    outcome.withLock { if $0.response == nil { $0.task = task } }
    return true
  }

  /// The first response counts; the handler's own after `stop` gave up on it is ignored.
  /// - Returns: whether this one counted.
  func finish(_ response: Response) -> Bool {
    let isFirst = outcome.withLock { outcome in
      guard outcome.isSuspended, outcome.response == nil else { return false }
      outcome.response = response
      outcome.task = nil
      return true
    }
    guard isFirst else { return false }
    core.handlerEnded()
    MHD_resume_connection(handle)
    core.resumed()
    return true
  }

  /// Ends a handler that outlived the grace of a stop.
  func abandon() -> Bool {
    let (task, requestID) = outcome.withLock { ($0.task, $0.requestID) }
    guard finish(core.fault(.shuttingDown, requestID: requestID)) else { return false }
    task?.cancel()
    return true
  }

  func releaseBody() {
    let count = outcome.withLock { outcome in
      defer { outcome.reserved = 0 }
      return outcome.reserved
    }
    core.release(bodyBytes: count)
  }

  private func hasForbiddenTrailer() -> Bool {
    Framing.forbiddenTrailers.contains { name in
      MHD_lookup_connection_value_n(handle, .FOOTER_KIND, name, name.utf8.count, nil, nil) == .YES
    }
  }
}
