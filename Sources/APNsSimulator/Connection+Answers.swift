import CNghttp2

/// What goes back: answers, stream limits, RST_STREAM and GOAWAY frames.
extension Connection {
  /// Gives an answer that may have waited, and lets the connection react to it.
  func deliver(_ directive: Directive, to exchange: Exchange) {
    guard !exchange.isAnswered, exchange.stream <= lastStream else { return }
    submit(directive.answer, for: exchange)
    adjustStreamLimit(after: directive)
    guard let reason = directive.answer.reason else { return }
    if script.wedgeOnExpiredToken, reason == Reason.expiredProviderToken.rawValue { wedge() }
    if script.spoilOnTokenUpdate, reason == Reason.tooManyProviderTokenUpdates.rawValue {
      spoiled = .tooManyProviderTokenUpdates
    }
  }

  func deliverLate(_ directive: Directive, stream: Int32) {
    if let exchange = exchanges[stream] { deliver(directive, to: exchange) }
  }

  /// Answers kept back, in the order of their streams.
  func release() {
    let waiting = exchanges.values.filter { $0.held != nil }.sorted { $0.stream < $1.stream }
    for exchange in waiting {
      guard let directive = exchange.held else { continue }
      exchange.held = nil
      deliver(directive, to: exchange)
    }
    worker.dropHeld(waiting.count)
  }

  func submit(_ answer: Answer, for exchange: Exchange) {
    exchange.isAnswered = true
    exchange.body = answer.body
    exchange.frameBytes = answer.frameBytes ?? Int.max
    worker.tally.answered += 1
    var fields = AnswerFields()
    fields.add(.status, String(answer.status))
    fields.add(.date, worker.dates.text(at: Moment.wallMicroseconds / 1_000_000 + script.clockOffsetSeconds))
    fields.add(.id, exchange.messageID)
    if let id = exchange.uniqueID { fields.add(.uniqueID, id) }
    fields.withFields { fields in
      guard !exchange.body.isEmpty else {
        nghttp2_submit_response(session, exchange.stream, fields.baseAddress, fields.count, nil)
        return
      }
      // The exchange outlives its stream: it is dropped when nghttp2 reports the stream as closed.
      var provider = nghttp2_data_provider()
      provider.source.ptr = Unmanaged.passUnretained(exchange).toOpaque()
      provider.read_callback = readBody
      nghttp2_submit_response(session, exchange.stream, fields.baseAddress, fields.count, &provider)
    }
  }

  /// `--fast`: a status and nothing else, which is one byte of header block.
  func answerFast(_ stream: Int32) {
    if fastPathIsGood { worker.tally.acceptedFast += 1 }
    worker.tally.answered += 1
    var field = fastPathIsGood ? HeaderNames.okay : HeaderNames.badPath
    nghttp2_submit_response(session, stream, &field, 1, nil)
  }

  func reset(_ exchange: Exchange, codes: [UInt32]) {
    exchange.isAnswered = true
    for code in codes {
      nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), exchange.stream, code)
    }
  }

  func send(_ goaway: GoAway) {
    let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
    let last = max(newestTaken, newestStream - Int32(clamping: 2 * goaway.refuse))
    if goaway.graceful { nghttp2_submit_shutdown_notice(session) }
    let data = goaway.debugData
    for _ in 0..<(goaway.twice ? 2 : 1) {
      nghttp2_submit_goaway(session, none, last, goaway.code, data, data.count)
      worker.tally.goawaysSent += 1
    }
    lastStream = min(lastStream, last)
    if goaway.close { ending = .flushed }
  }

  private func adjustStreamLimit(after directive: Directive) {
    if directive.answer.status == 200 {
      announce(script.streams)
    } else if script.collapseAfterError, directive.answer.status != 410 {
      // 410 is not counted as an error.
      announce(1)
    } else if directive.isAuthenticated, !script.collapseAfterError {
      announce(script.streams)
    }
  }

  private func announce(_ limit: UInt32) {
    guard limit != streamLimit else { return }
    streamLimit = limit
    let settings = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: limit)
    ]
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
  }

  private func wedge() {
    isWedged = true
    announce(1)
    for exchange in exchanges.values.sorted(by: { $0.stream < $1.stream })
    where !exchange.isAnswered && !exchange.isTaken {
      reset(exchange, codes: [NGHTTP2_REFUSED_STREAM.rawValue, NGHTTP2_STREAM_CLOSED.rawValue])
    }
  }
}

/// Hands the next part of an answer's body to nghttp2.
private func readBody(
  _: OpaquePointer?, _: Int32, buffer: UnsafeMutablePointer<UInt8>?, capacity: Int,
  flags: UnsafeMutablePointer<UInt32>?, source: UnsafeMutablePointer<nghttp2_data_source>?, _: UnsafeMutableRawPointer?
) -> Int {
  guard let pointer = source?.pointee.ptr, let buffer else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
  let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
  let count = min(capacity, exchange.frameBytes, exchange.body.count - exchange.sent)
  exchange.body.withUnsafeBufferPointer { body in
    if let base = body.baseAddress { buffer.update(from: base + exchange.sent, count: count) }
  }
  exchange.sent += count
  if exchange.sent == exchange.body.count { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
  return count
}
