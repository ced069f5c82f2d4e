/// What all requests of a server share: the router, the bounds, the counts, the observer.
final class ServerCore: Sendable {
  let router: Router
  let limits: ServerLimits
  let observe: @Sendable (HTTPServerEvent) -> Void
  let ids = RequestIDs()
  let registry = ConnectionRegistry()
  let load = Guarded(Load())

  init(router: Router, limits: ServerLimits, observe: @escaping @Sendable (HTTPServerEvent) -> Void) {
    self.router = router
    self.limits = limits
    self.observe = observe
  }

  func fault(_ fault: HTTPFault, requestID: String) -> Response {
    var response = router.fault(fault, requestID)
    for (name, value) in fault.requiredFields where response.headers.first(name) == nil {
      response.headers.append(name, value)
    }
    return response
  }

  var isDraining: Bool {
    load.withLock { $0.phase != .serving }
  }

  func requestBegan() {
    load.withLock { $0.running += 1 }
  }

  func requestEnded() {
    load.withLock { $0.running -= 1 }
    load.signal()
  }

  /// - Returns: why no handler may start now, or nil: then one has, and `handlerEnded` and `resumed` are owed.
  func handlerBegins() -> HTTPFault? {
    load.withLock { load in
      guard load.phase != .closing else { return .shuttingDown }
      guard load.handlers < limits.concurrentRequests else { return .overloaded }
      load.handlers += 1
      load.suspended += 1
      return nil
    }
  }

  func handlerEnded() {
    load.withLock { $0.handlers -= 1 }
  }

  func resumed() {
    load.withLock { $0.suspended -= 1 }
    load.signal()
  }

  func reserve(bodyBytes count: Int) -> Bool {
    load.withLock { load in
      guard load.bodyBytes + count <= limits.bodyBytesInFlight else { return false }
      load.bodyBytes += count
      return true
    }
  }

  func release(bodyBytes count: Int) {
    guard count > 0 else { return }
    load.withLock { $0.bodyBytes -= count }
  }

  /// The library complained of a Content-Length on this thread without saying whose: finds the request, answers it past
  /// the library and shuts its socket down.
  func refuseUnreadableLength() {
    let culprit = registry.exchanges.first { $0.hasUnreadableLength() }
    guard let culprit, culprit.connection.enter(.working) else { return }
    culprit.closes = true
    _ = culprit.sendPastLibrary(.badRequest(reason: "Content-Length is not a number"))
    culprit.shutDown()
  }
}
