internal import CCurl

// What a connection does in one turn of its loop: let libcurl act, collect what ended, take new work.
extension Connection {
  var isDone: Bool { phase == .draining && inFlight.isEmpty }

  /// A socket is ready.
  func act(on socket: Int32, events: UInt32) {
    var mask: Int32 = 0
    if events & EPOLLIN.rawValue != 0 { mask |= CURL_CSELECT_IN }
    if events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
    if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_ERR }
    var running: Int32 = 0
    gather()
    curl_multi_socket_action(multi, socket, mask, &running)
  }

  /// libcurl's timer is due.
  func actOnTimer() {
    timerDue = .max
    var running: Int32 = 0
    gather()
    curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
  }

  /// Collects ended transfers, then fills up again; `isStopping` means no new work.
  func turn(isStopping: Bool) {
    let wasConnecting = phase == .connecting
    reap()
    takeBackAbandoned()
    if inFlight.isEmpty { settleDoubts() }
    if let cause = drainCause, phase == .ready { drain(cause) }
    returnMovable()
    if isStopping || pool.isClosed { return drain(.closing) }
    refill()
    if wasConnecting, phase == .connecting, inFlight.isEmpty { drain(.closing) }
  }

  private func refill() {
    guard phase != .draining, unstarted == 0 else { return reportAnswers() }
    let room = phase == .connecting ? (inFlight.isEmpty ? 1 : 0) : max(0, window - inFlight.count)
    let reserve = phase == .connecting ? 0 : pool.configuration.urgentReserve
    taken.removeAll(keepingCapacity: true)
    let terms = pool.take(
      number, room: room, urgentRoom: phase == .connecting ? room : max(0, window + reserve - inFlight.count),
      answers: answers - answersReported, into: &taken)
    answersReported = answers
    window = min(window, terms.window)
    let hold = pool.configuration.credentialHold.nanoseconds
    guard taken.isEmpty || credential.adopt(terms.credential, now: Clocks.monotonic(), hold: hold) else {
      returning += taken
      return drain(.credential)
    }
    for work in taken { start(work) }
    returnMovable()
  }

  /// The window follows answers even while there is no room to ask for more.
  private func reportAnswers() {
    guard answers > answersReported else { return }
    let terms = pool.take(number, room: 0, urgentRoom: 0, answers: answers - answersReported, into: &taken)
    window = min(window, terms.window)
    answersReported = answers
  }

  private func start(_ work: Work) {
    guard Clocks.boot() < work.batch.handOverBefore else { return work.end(.neverSent(.leaseExpired)) }
    guard Clocks.monotonic() < work.batch.endsAt else { return work.end(.neverSent(.deadline)) }
    guard let transfer = idleTransfer() else { return returning.append(work) }
    guard transfer.prepare(work) else {
      idle.append(transfer)
      return transfer.release()?.end(.neverSent(.invalidRequest)) ?? ()
    }
    if inFlight.isEmpty, phase == .ready { lastProgress = Clocks.monotonic() }
    transfer.place = inFlight.count
    transfer.leastStream = 2 * handedOver + 1
    inFlight.append(transfer)
    unstarted += 1
    guard curl_multi_add_handle(multi, transfer.easy.handle) == CURLM_OK else {
      detach(transfer, remove: false)
      return returning.append(work)
    }
  }

  private func idleTransfer() -> Transfer? {
    if let transfer = idle.popLast() { return transfer }
    return try? Transfer(connection: self)
  }

  // MARK: - Ends

  private func reap() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
      let code = message.pointee.data.result
      guard let pointer = Easy(handle: handle).privatePointer else { continue }
      completed(Transfer.at(pointer), code)
    }
  }

  /// libcurl's own retry would wait for a connection that it never gets.
  private func takeBackAbandoned() {
    for transfer in given where transfer.abandoned && transfer.work != nil {
      let evidence = transfer.evidence(CURLE_RECV_ERROR)
      guard let work = detach(transfer, remove: true) else { continue }
      end(work, evidence, unless: nil)
      if phase == .connecting { connectFailed(CURLE_RECV_ERROR) }
      if drainCause == nil { drainCause = .lost(code: Int(CURLE_RECV_ERROR.rawValue)) }
    }
    given.removeAll(keepingCapacity: true)
  }

  private func completed(_ transfer: Transfer, _ code: CURLcode) {
    let status = transfer.easy.long(CURLINFO_RESPONSE_CODE)
    let evidence = transfer.evidence(code)
    let body = transfer.response
    guard let work = detach(transfer, remove: true) else { return }
    if status >= 200 {
      answered(work, HTTPResponse(status: status, body: body))
    } else {
      end(work, evidence, unless: nil)
      // A warm-up stopped by its own lease says nothing about the connection.
      if phase == .connecting, code != CURLE_ABORTED_BY_CALLBACK { return connectFailed(code) }
    }
    if TransferVerdict.endsConnection(code), drainCause == nil { drainCause = .lost(code: Int(code.rawValue)) }
  }

  private func answered(_ work: Work, _ response: HTTPResponse) {
    answers += 1
    lastProgress = Clocks.monotonic()
    if phase == .connecting { becameReady() }
    switch work.batch.source.verdict(work.index, response) {
    case .widen: if window < pool.configuration.window { window += 1 }
    case .hold: break
    case .replace: drainCause = drainCause ?? .spoilt
    }
    work.end(.response(response))
  }

  /// Ends a request without an answer, or sends it back to the queue when that is safe.
  private func end(_ work: Work, _ evidence: TransferEvidence, unless override: UnknownCause?) {
    switch TransferVerdict(evidence) {
    case .movable: returning.append(work)
    case .leaseExpired: work.end(.neverSent(.leaseExpired))
    case .unknown(.connectionLost(let code)) where override == nil:
      doubts.append(Doubt(work: work, leastStream: evidence.leastStream, cause: .connectionLost(code: code)))
    case .unknown(let cause): work.end(.unknown(override ?? cause))
    }
  }

  /// What a GOAWAY excluded moves on; the rest is unknown.
  private func settleDoubts() {
    for doubt in doubts {
      if let lastStream, doubt.leastStream > lastStream {
        returning.append(doubt.work)
      } else {
        doubt.work.end(.unknown(doubt.cause))
      }
    }
    doubts.removeAll(keepingCapacity: true)
  }

  private func returnMovable() {
    guard !returning.isEmpty else { return }
    let works = returning
    returning.removeAll(keepingCapacity: true)
    pool.putBack(works)
  }

  /// Takes a transfer out of flight and out of libcurl; an unfinished stream is reset.
  @discardableResult
  private func detach(_ transfer: Transfer, remove: Bool) -> Work? {
    if remove { curl_multi_remove_handle(multi, transfer.easy.handle) }
    if !transfer.bodyComplete { unstarted -= 1 }
    let last = inFlight.removeLast()
    if last !== transfer {
      inFlight[transfer.place] = last
      last.place = transfer.place
    }
    idle.append(transfer)
    return transfer.release()
  }

  // MARK: - Phases

  private func becameReady() {
    phase = .ready
    pool.becameReady(number)
    let after = Duration.nanoseconds(Int64(Clocks.monotonic() - openedAt))
    pool.observe(.ready(pool: pool.label, connection: number, after: after))
  }

  private func connectFailed(_ code: CURLcode) {
    phase = .draining
    returnMovable()
    pool.connectFailed(number, code: Int(code.rawValue), text: Curl.text(code))
  }

  func drain(_ cause: DrainCause) {
    guard phase != .draining else { return }
    phase = .draining
    if cause == .refused { pool.refused() }
    pool.left(number)
    takeBackUnstarted()
    if cause != .closing { pool.observe(.draining(pool: pool.label, connection: number, cause)) }
  }

  /// What libcurl still holds back would wait for a connection that it never gets.
  private func takeBackUnstarted() {
    for transfer in inFlight where !transfer.bodyComplete {
      let evidence = transfer.evidence(CURLE_COULDNT_CONNECT)
      if let work = detach(transfer, remove: true) { end(work, evidence, unless: nil) }
    }
    returnMovable()
  }

  // MARK: - Housekeeping, a few times a second

  /// Ends requests whose time is over and drops a connection that has fallen silent.
  func keepHouse(now: UInt64) {
    if !inFlight.isEmpty, !mayOpenSocket, now > lastProgress + pool.configuration.silence.nanoseconds {
      return fallSilent()
    }
    if phase == .ready, unstarted > 0, now > lastProgress + pool.configuration.heldBack.nanoseconds {
      drain(.heldBack)
    }
    for transfer in inFlight where transfer.work.map({ $0.batch.endsAt <= now }) ?? false {
      let evidence = transfer.evidence(CURLE_OPERATION_TIMEDOUT)
      guard let work = detach(transfer, remove: true) else { continue }
      end(work, evidence, unless: .deadline)
    }
    returnMovable()
  }

  private func fallSilent() {
    if phase == .connecting {
      drop(.silence)
      return connectFailed(CURLE_OPERATION_TIMEDOUT)
    }
    drain(.silence)
    drop(.silence)
  }

  /// Gives up on everything in flight.
  func drop(_ cause: UnknownCause) {
    while let transfer = inFlight.last {
      let evidence = transfer.evidence(CURLE_OPERATION_TIMEDOUT)
      guard let work = detach(transfer, remove: true) else { continue }
      end(work, evidence, unless: cause)
    }
    settleDoubts()
    returnMovable()
  }
}

extension Transfer {
  func evidence(_ code: CURLcode) -> TransferEvidence {
    TransferEvidence(
      code: code, bodyComplete: bodyComplete, leaseExpired: leaseExpired, refused: refused, leastStream: leastStream)
  }
}
