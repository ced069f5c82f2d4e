internal import HTTPServer

extension Telemetry {
  /// What an HTTP server is given to report to. Called on the server's threads and in handlers' tasks.
  func httpObserver(listener: String) -> @Sendable (HTTPServerEvent) -> Void {
    { [self] event in record(event, listener) }
  }

  private func record(_ event: HTTPServerEvent, _ listener: String) {
    let place = ("listener", LogValue.string(listener))
    switch event {
    case .answered(let request): record(request, listener)
    case .deadlinePassed(let deadline, let address):
      http.deadlines.with(listener, deadline.rawValue).increment()
      // An idle connection that ends is the normal course.
      log(
        .debug, "http_deadline_passed",
        [place, ("deadline", .string(deadline.rawValue)), ("remote_address", .string(address))])
    case .listening(let port): log(.notice, "http_listening", [place, ("port", .integer(port))])
    case .draining(let running): log(.info, "http_draining", [place, ("running", .integer(running))])
    case .stopped(let abandoned):
      log(abandoned == 0 ? .info : .warning, "http_stopped", [place, ("abandoned", .integer(abandoned))])
    case .fieldDropped(let name, let requestID):
      log(.error, "http_field_dropped", requestID: requestID, [place, ("field", .string(name))])
    case .statusReplaced(let status, let requestID):
      log(.error, "http_status_replaced", requestID: requestID, [place, ("status", .integer(status))])
    case .library(let text): logSparsely(.warning, "http_library", part: listener, [place, ("message", .string(text))])
    }
  }

  /// Counted always; a line per request only for `debug`, except when the server is to blame.
  private func record(_ request: AnsweredRequest, _ listener: String) {
    let route = request.pattern ?? "none"
    let method = request.method?.rawValue ?? "none"
    http.requests.with(listener, method, route, String(request.status)).increment()
    http.seconds.with(listener, route).observe(request.duration)
    log(
      request.status == 500 ? .error : .debug, "http_answered", requestID: request.requestID,
      [
        ("listener", .string(listener)), ("method", .string(method)), ("route", .string(route)),
        ("status", .integer(request.status)), ("seconds", .number(request.duration / .seconds(1))),
        ("request_bytes", .integer(request.requestBytes)), ("response_bytes", .integer(request.responseBytes)),
        ("complete", .flag(request.isComplete)), ("remote_address", .string(request.remoteAddress)),
      ])
  }
}
