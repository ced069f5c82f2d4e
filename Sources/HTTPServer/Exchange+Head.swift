internal import CMicrohttpd
internal import Glibc

extension Exchange {
  /// The head is complete. Decides everything that can be decided without the body.
  func begin(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> Bool {
    guard connection.enter(.body(since: .now)) else { return false }
    hasBegun = true
    core.requestBegan()
    switch readHead(method: method, version: version) {
    case .failure(let refusal):
      closes = true
      return send(fault(refusal.fault))
    case .success(let head):
      self.head = head
      return route(head)
    }
  }

  /// True while the library is between this request's line and the first call, on the calling thread, and has seen a
  /// Content-Length that it can't read.
  func hasUnreadableLength() -> Bool {
    guard pthread_equal(thread, pthread_self()) != 0, !hasBegun else { return false }
    var text: UnsafePointer<CChar>?
    var length = 0
    let name = "Content-Length"
    guard MHD_lookup_connection_value_n(handle, .HEADER_KIND, name, name.utf8.count, &text, &length) == .YES else {
      return false
    }
    let bytes = UnsafeRawBufferPointer(start: text, count: length)
    return bytes.isEmpty || !bytes.allSatisfy(ASCII.isDigit) || UInt64(String(decoding: bytes, as: UTF8.self)) == nil
  }

  private struct Refusal: Error {
    let fault: HTTPFault
  }

  private func readHead(
    method: UnsafePointer<CChar>, version: UnsafePointer<CChar>
  ) -> Result<RequestHead, Refusal> {
    guard target.length <= core.limits.targetBytes else { return .failure(Refusal(fault: .uriTooLong)) }
    guard kits_mhd_head_bytes(handle) <= core.limits.headBytes else {
      return .failure(Refusal(fault: .headersTooLarge))
    }
    switch HeadReader.read(handle, method: method, version: version, target: target) {
    case .failure(let malformed): return .failure(Refusal(fault: .badRequest(reason: malformed.reason)))
    case .success(let reader):
      return check(reader, method: String(cString: method), version: String(cString: version))
    }
  }

  private func check(_ reader: HeadReader, method: String, version: String) -> Result<RequestHead, Refusal> {
    func bad(_ reason: String) -> Result<RequestHead, Refusal> { .failure(Refusal(fault: .badRequest(reason: reason))) }
    guard reader.fields.count <= core.limits.headerFields else { return .failure(Refusal(fault: .headersTooLarge)) }
    let headers = Headers(reader.fields)
    requestID = headers.first("X-Request-Id").flatMap { RequestIDs.isValid($0) ? $0 : nil } ?? core.ids.next()
    guard !method.isEmpty, method.utf8.allSatisfy(ASCII.isToken) else { return bad("method is not a token") }
    guard let method = HTTPMethod(rawValue: method) else { return .failure(Refusal(fault: .notImplemented)) }
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else { return bad("version is not HTTP/1.0 or HTTP/1.1") }
    guard Framing.hostIsValid(reader.hosts, version: version) else { return bad("Host is not exactly one host") }
    switch Framing.decide(reader, version: version, method: method) {
    case .failure(let malformed): return bad(malformed.reason)
    case .success(let framing): self.framing = framing
    }
    // After a chunked body the next request's beginning is a matter of how the chunks were read: not worth the risk.
    if framing == .chunked { closes = true }
    for expectation in headers.all("Expect") where !Headers.same(expectation, "100-continue") {
      return .failure(Refusal(fault: .expectationFailed))
    }
    guard target.text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return bad("target has a forbidden byte") }
    switch Target.parse(target.text, method: method, host: reader.hosts.first) {
    case .failure(let malformed): return bad(malformed.reason)
    case .success(let parsed):
      return .success(
        RequestHead(
          method: method, path: parsed.path, rawTarget: target.text, query: parsed.query, headers: headers,
          remoteAddress: connection.remoteAddress, requestID: requestID))
    }
  }

  private func route(_ head: RequestHead) -> Bool {
    switch core.router.match(head.method, path: head.path) {
    case .fault(let fault): return refuse(self.fault(fault))
    case .route(let route, let parameters):
      match = (route, parameters)
      if let response = route.admit(head, parameters) { return refuse(response) }
      if let fault = bodyFault(head, route) {
        if case .payloadTooLarge = fault { return send(self.fault(fault)) }
        return refuse(self.fault(fault))
      }
      step = .receiving
      return true
    }
  }

  private func bodyFault(_ head: RequestHead, _ route: Route) -> HTTPFault? {
    let limit = route.effectiveBodyLimit
    switch framing {
    case .none: return nil
    case .length(let length) where length > limit: return .payloadTooLarge(limit: limit)
    case .chunked where limit == 0: return .payloadTooLarge(limit: limit)
    case .length, .chunked:
      guard route.body.accepts(head.headers) else { return .unsupportedMediaType }
      return core.load.withLock { $0.bodyBytes >= core.limits.bodyBytesInFlight } ? .overloaded : nil
    }
  }

  /// Answers without a handler. A small body on its way is read and thrown away, which keeps the connection; otherwise
  /// the answer goes out at once and the connection is closed, because the library can't skip a body.
  private func refuse(_ response: Response) -> Bool {
    let isExpecting = head?.headers.first("Expect") != nil
    switch framing {
    case .none: step = .discarding(response)
    case .length(let length) where length <= core.limits.discardedBodyBytes && !isExpecting:
      step = .discarding(response)
    case .length, .chunked: return send(response)
    }
    return true
  }
}
