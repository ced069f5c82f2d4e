import CNghttp2
import Foundation

/// One thread with an epoll loop and the connections it owns. Worker 0 also accepts and deals sockets out in turn.
final class Worker {
  let simulator: Simulator
  let isFast: Bool
  let callbacks = SessionCallbacks()
  let reader = ProviderTokenReader()
  /// Added to the shared counts once per turn, before answers leave: whoever has an answer finds it counted.
  var tally = Tally()
  var dates = HTTPDates()

  private let mailbox: Mailbox
  private let listener: Int32?
  private let tls: TLSContext
  private let poller: Poller
  private var connections: [Int: Connection] = [:]
  private var timers = TimerHeap()
  /// Connections that have something to do in this turn apart from what epoll reports.
  private var unread = Set<Int>()
  private var touched = Set<Int>()
  private var nextMailbox = 0
  private var isStopping = false
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

  init(index: Int, simulator: Simulator, listener: Int32?, identity: ServerIdentity) throws {
    self.simulator = simulator
    isFast = simulator.isFast
    mailbox = simulator.mailboxes[index]
    self.listener = listener
    tls = try TLSContext(identity)
    poller = try Poller()
    try poller.add(mailbox.descriptor, tag: Self.mailboxTag)
    if let listener { try poller.add(listener, tag: Self.listenerTag) }
  }

  deinit { buffer.deallocate() }

  func run() {
    while !isStopping {
      for event in poller.wait(milliseconds: timeout()) { handle(event) }
      let again = unread
      unread.removeAll()
      for number in again { read(number) }
      fireTimers()
      publish()
      let due = touched
      touched.removeAll()
      for number in due { flush(number) }
    }
    connections.removeAll()
  }

  func schedule(_ connection: Connection, after milliseconds: Int, _ action: TimerHeap.Action) {
    let deadline = Moment.monotonicNanoseconds + UInt64(milliseconds) * 1_000_000
    timers.add(deadline: deadline, connection: connection.number, action)
  }

  /// The connection has more to read than one turn allows.
  func readAgain(_ connection: Connection) {
    unread.insert(connection.number)
  }

  func dropHeld(_ number: Int) {
    if number > 0 { simulator.update { $0.held -= number } }
  }

  func count(_ answer: Answer) {
    simulator.update { $0.count(answer) }
  }

  /// Options for one session; the caller frees them once the session is made.
  func option(for script: ConnectionScript) -> OpaquePointer? {
    var option: OpaquePointer?
    guard nghttp2_option_new(&option) == 0, let option else { return nil }
    // libcurl 7.88 resets every stream it has finished with. Unless a script asks for it, that is not punished.
    let rate = script.resetsPerSecond ?? 1 << 32
    nghttp2_option_set_stream_reset_rate_limit(option, rate, rate)
    return option
  }

  // MARK: - One turn

  private func timeout() -> Int32 {
    if !unread.isEmpty || !touched.isEmpty { return 0 }
    guard let next = timers.next else { return -1 }
    let now = Moment.monotonicNanoseconds
    // Rounded up: waking a little early would spin until the deadline.
    return next <= now ? 0 : Int32(clamping: (next - now + 999_999) / 1_000_000)
  }

  private func handle(_ event: Poller.Event) {
    switch event.tag {
    case Self.mailboxTag: for letter in mailbox.take() { open(letter) }
    case Self.listenerTag: acceptAll()
    default:
      let number = Int(event.tag)
      guard let connection = connections[number] else { return }
      touched.insert(number)
      if connection.isSilent || connection.isReadingPaused {
        if event.isBroken { end(number) }
      } else if event.isReadable {
        read(number)
      }
    }
  }

  private func open(_ letter: Mailbox.Letter) {
    switch letter {
    case .adopt(let socket): adopt(socket)
    case .release:
      for connection in connections.values { connection.release() }
      touched.formUnion(connections.keys)
    case .disconnect:
      for number in Array(connections.keys) { end(number) }
    case .stop: isStopping = true
    }
  }

  private func acceptAll() {
    guard let listener else { return }
    while true {
      let socket = accept(listener, nil, nil)
      guard socket >= 0 else { return }
      _ = fcntl(socket, F_SETFL, O_NONBLOCK)
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      let target = simulator.mailboxes[nextMailbox % simulator.mailboxes.count]
      nextMailbox += 1
      if target === mailbox { adopt(socket) } else { target.put(.adopt(socket)) }
    }
  }

  private func adopt(_ socket: Int32) {
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    let (number, script) = simulator.update { state in
      defer { state.nextConnection += 1 }
      var script = state.laboratory.script.connection
      script.environment = state.laboratory.script.validation.environment
      return (state.nextConnection, script)
    }
    do {
      connections[number] = try Connection(
        number: number, socket: socket, worker: self, script: script, tls: tls)
      try poller.add(socket, tag: UInt64(number))
      tally.connectionsOpened += 1
    } catch {
      // Out of descriptors or memory: this client is turned away, the others stay.
      if connections.removeValue(forKey: number) == nil { close(socket) }
    }
  }

  private func read(_ number: Int) {
    guard let connection = connections[number] else { return }
    touched.insert(number)
    if !connection.readAvailable(into: buffer) {
      connection.ending = connection.ending ?? .flushed
    }
  }

  private func fireTimers() {
    guard timers.next != nil else { return }
    let now = Moment.monotonicNanoseconds
    while let entry = timers.take(dueAt: now) {
      guard let connection = connections[entry.connection] else { continue }
      touched.insert(entry.connection)
      switch entry.action {
      case .answer(let stream, let directive): connection.deliverLate(directive, stream: stream)
      case .resumeReading:
        connection.isReadingPaused = false
        unread.insert(entry.connection)
      }
    }
  }

  private func flush(_ number: Int) {
    guard let connection = connections[number] else { return }
    guard connection.flush() else {
      end(number)
      return
    }
    poller.watch(
      connection.socket, tag: UInt64(number), reading: !connection.isSilent && !connection.isReadingPaused,
      writing: connection.wantsToWrite)
  }

  private func end(_ number: Int) {
    guard let connection = connections.removeValue(forKey: number) else { return }
    poller.forget(tag: UInt64(number))
    dropHeld(connection.exchanges.values.count { $0.held != nil })
    tally.connectionsClosed += 1
    tally.canceledByClient += connection.abandonedStreams
    // Makes the next turn come at once, so that the count doesn't wait for the next event.
    touched.insert(number)
  }

  private func publish() {
    let turn = tally
    tally = Tally()
    simulator.update {
      $0.tally += turn
      $0.ledger.count(turn.acceptedFast)
    }
  }

  private static let mailboxTag = UInt64.max
  private static let listenerTag = UInt64.max - 1
}
