internal import CMicrohttpd
internal import Glibc

extension Exchange {
  /// Hands a response to the library. Called during the first call this also ends the connection: the library then
  /// won't read the rest of the request.
  func send(_ response: Response) -> Bool {
    let response = sendable(response)
    guard connection.enter(.writing(until: writeDeadline(for: response.body.count))) else { return false }
    let closes = closes || core.isDraining
    let fields = ResponseFields(response.headers, requestID: requestID, closes: closes)
    for name in fields.dropped { core.observe(.fieldDropped(name: name, requestID: requestID)) }
    guard let prepared = Self.prepare(response, fields) else { return false }
    defer { MHD_destroy_response(prepared) }
    step = .answered
    answer = (response.status, response.body.count)
    return MHD_queue_response(handle, UInt32(response.status), prepared) == .YES
  }

  /// Writes a response by ourselves and closes: while a body is being received the library takes no response.
  /// Nothing else writes to the socket then.
  func sendPastLibrary(_ fault: HTTPFault) -> Bool {
    let response = self.fault(fault)
    let bytes = ResponseFields.serialized(response, requestID: requestID)
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    let sent = Glibc.send(connection.socket, bytes, bytes.count, flags)
    shutdown(connection.socket, Int32(SHUT_WR))
    // What is unread when the socket closes resets the connection, and the client might lose the answer.
    withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
      for _ in 0..<64 where recv(connection.socket, buffer.baseAddress, buffer.count, flags) <= 0 { break }
    }
    step = .answered
    answer = (response.status, max(0, sent))
    return false
  }

  /// What the library still tries to send fails, and it lets the connection go.
  func shutDown() {
    shutdown(connection.socket, Int32(SHUT_RDWR))
  }

  private func sendable(_ response: Response) -> Response {
    guard !(200...599).contains(response.status) else { return response }
    core.observe(.statusReplaced(response.status, requestID: requestID))
    return Response(status: 500)
  }

  private func writeDeadline(for count: Int) -> Instant {
    .now + core.limits.writeDeadline + .seconds(count / max(1, core.limits.slowestReader))
  }

  private static func prepare(_ response: Response, _ fields: ResponseFields) -> OpaquePointer? {
    // The library never writes through this pointer; it copies, because the response may outlive the array.
    let prepared = response.body.withUnsafeBytes { bytes in
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let prepared else { return nil }
    for (name, value) in fields.fields { MHD_add_response_header(prepared, name, value) }
    return prepared
  }

  /// The library is done with the request: its response was sent, or the connection is gone.
  func completed(isComplete: Bool) {
    releaseBody()
    connection.exchange = nil
    guard hasBegun else { return }
    _ = connection.enter(.idle(since: .now, bytes: nil))
    core.observe(
      .answered(
        AnsweredRequest(
          method: head?.method, pattern: match?.route.pattern, status: answer?.status ?? 0, requestID: requestID,
          remoteAddress: connection.remoteAddress, duration: Instant.now - started, requestBytes: requestBytes,
          responseBytes: answer?.bytes ?? 0, isComplete: isComplete && answer != nil)))
    core.requestEnded()
  }
}
