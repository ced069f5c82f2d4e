import CNghttp2

/// What nghttp2 reports about streams, in the order it happens.
extension Connection {
  func streamOpened(_ stream: Int32) {
    newestStream = max(newestStream, stream)
    openStreams += 1
    worker.tally.streamsOpened += 1
    worker.tally.maxStreamsOnConnection = max(worker.tally.maxStreamsOnConnection, openStreams)
    if worker.isFast {
      fastPathIsGood = false
    } else {
      exchanges[stream] = Exchange(stream: stream)
    }
  }

  func streamClosed(_ stream: Int32) {
    openStreams -= 1
    guard let exchange = exchanges.removeValue(forKey: stream) else { return }
    if exchange.held != nil { worker.dropHeld(1) }
    if !exchange.isAnswered, stream <= lastStream { worker.tally.canceledByClient += 1 }
  }

  func header(_ stream: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    if worker.isFast {
      // ":path" is the only name of five bytes that starts like this.
      if name.count == 5, name[0] == 0x3A, name[1] == 0x70 { fastPathIsGood = value.count > Self.fastPathBytes }
      return
    }
    guard let exchange = exchanges[stream] else { return }
    let name = String(decoding: name, as: UTF8.self)
    let value = String(decoding: value, as: UTF8.self)
    switch name {
    case ":method": exchange.request.method = value
    case ":path": exchange.request.path = value
    case ":authority": exchange.request.authority = value
    case ":scheme": break
    default: exchange.request.headers.append(PushRequest.Header(name: name, value: value))
    }
  }

  func data(_ stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
    guard let exchange = exchanges[stream] else { return }
    let room = PushRequest.keptBody - exchange.request.body.count
    exchange.request.bodyLength += bytes.count
    if room > 0 { exchange.request.body.append(contentsOf: bytes.prefix(room)) }
  }

  /// The last byte of a request has come.
  func requestComplete(_ stream: Int32) {
    guard ending == nil, !isSilent, stream <= lastStream else { return }
    worker.tally.received += 1
    if worker.isFast {
      answerFast(stream)
      return
    }
    guard let exchange = exchanges[stream], !exchange.isComplete else { return }
    exchange.isComplete = true
    requests += 1
    let claimed = exchange.request.value("apns-id")
    exchange.messageID = claimed.flatMap { MessageID.isCanonical($0) ? $0 : nil } ?? MessageID.make()
    let environment = PushEnvironment(authority: exchange.request.authority) ?? script.environment
    if environment == .sandbox { exchange.uniqueID = MessageID.make() }
    if isWedged {
      reset(exchange, codes: [NGHTTP2_REFUSED_STREAM.rawValue, NGHTTP2_STREAM_CLOSED.rawValue])
      return
    }
    if let spoiled {
      worker.count(.rejected(spoiled))
      submit(.rejected(spoiled), for: exchange)
      return
    }
    carryOut(judge(exchange), for: exchange)
  }

  private func judge(_ exchange: Exchange) -> Directive {
    let origin = RequestOrigin(
      connection: number, stream: exchange.stream, newestStream: newestStream, newestTaken: newestTaken,
      number: requests)
    return worker.simulator.judge(
      exchange.request, messageID: exchange.messageID, from: origin, at: Moment.wallMicroseconds,
      credential: &credential, reader: worker.reader)
  }

  private func carryOut(_ directive: Directive, for exchange: Exchange) {
    if directive.isTaken {
      exchange.isTaken = true
      newestTaken = max(newestTaken, exchange.stream)
    }
    switch directive.fault {
    case .none, .answer: break
    case .reset(let codes):
      reset(exchange, codes: codes)
      return
    case .stall: return
    case .kill(let hard):
      ending = .killed(hard: hard)
      return
    case .silence:
      isSilent = true
      return
    case .goaway(let goaway): send(goaway)
    }
    if directive.isHeld {
      exchange.held = directive
    } else if directive.latencyMilliseconds > 0 {
      worker.schedule(
        self, after: directive.latencyMilliseconds, .answer(stream: exchange.stream, directive))
    } else {
      deliver(directive, to: exchange)
    }
  }

  /// "/3/device/" and at least one byte.
  private static let fastPathBytes = 10
}
