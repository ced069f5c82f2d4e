internal import CCurl
import Glibc

/// One HTTP/2 connection: a libcurl multi handle that is never allowed a second socket.
///
/// A multi handle of its own is the only way to drop one connection and to know which requests were on it.
/// Confined to its loop thread. Life: connecting (one warm-up request) → ready (window widens) → draining (no new
/// work) → closed by the loop when nothing is in flight.
final class Connection {
  enum Phase { case connecting, ready, draining }

  /// What epoll reports of a socket, and what libcurl wants it to.
  private struct Watch {
    let socket: Int32
    var reported: UInt32
    var wanted: UInt32
  }

  struct Doubt {
    let work: Work
    let leastStream: Int
    let cause: UnknownCause
  }

  let number: UInt32
  let pool: ConnectionPool
  let multi: UnsafeMutableRawPointer
  let address: Address
  let epoll: Int32
  let openedAt = Clocks.monotonic()
  var phase = Phase.connecting
  var inFlight: [Transfer] = []
  var idle: [Transfer] = []
  /// In flight, but libcurl hasn't taken the body yet: the server's stream limit or the socket holds it back.
  var unstarted = 0
  var window = 1
  var answers = 0
  var answersReported = 0
  var credential = CredentialUse()
  /// When libcurl wants to be called, on the monotonic clock.
  var timerDue = UInt64.max
  /// The last answer, or the moment when waiting for one began.
  var lastProgress: UInt64
  /// Requests that go back to the pool at the end of this turn.
  var returning: [Work] = []
  var drainCause: DrainCause?
  /// Filled by `take`, kept for its memory.
  var taken: [Work] = []
  /// Bodies handed over on this connection: as many streams, at least.
  private(set) var handedOver = 0
  /// Streams above this were not processed: the lowest last-stream-id of the server's GOAWAYs.
  private(set) var lastStream: Int?
  var hasGoAway: Bool { lastStream != nil }
  /// Requests whose connection broke under them; decided when the rest has ended, since a GOAWAY may still be read.
  var doubts: [Doubt] = []
  /// Transfers that libcurl would try again by itself; taken from it at the end of this turn.
  var given: [Transfer] = []
  /// The socket that libcurl last wanted to read from.
  private var socket: Int32 = -1
  /// The socket while libcurl watches it; only then its number is surely ours.
  private var gatherable: Int32 = -1
  /// TCP holds back what isn't a full segment; see `gather`.
  private var isGathering = false
  /// Sockets that epoll knows.
  private var watched: [Watch] = []
  /// Nothing was handed over yet, so a socket may be opened (two, with happy eyeballs).
  private(set) var mayOpenSocket = true

  init(number: UInt32, pool: ConnectionPool, epoll: Int32) throws(HTTPClientError) {
    Curl.ready
    let address = try Address(pool.origin)
    guard let multi = curl_multi_init() else { throw .system(call: "curl_multi_init", errno: 12) }
    self.number = number
    self.pool = pool
    self.multi = multi
    self.address = address
    self.epoll = epoll
    lastProgress = openedAt
    try setOptions()
  }

  /// Transfers first (each frees its easy handle), then the multi handle, which closes the socket.
  deinit {
    for transfer in inFlight { curl_multi_remove_handle(multi, transfer.easy.handle) }
    inFlight.removeAll()
    idle.removeAll()
    curl_multi_cleanup(multi)
  }

  private func setOptions() throws(HTTPClientError) {
    try check(kits_multi_set_long(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX))
    try check(kits_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1))
    try check(kits_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 1))
    try check(kits_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1_000))
    let itself = Unmanaged.passUnretained(self).toOpaque()
    try check(kits_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, itself))
    try check(kits_multi_set_pointer(multi, CURLMOPT_TIMERDATA, itself))
    try check(
      kits_multi_set_socket(multi) { _, socket, what, itself, _ in
        if let itself { Connection.at(itself).watch(socket, what) }
        return 0
      })
    try check(
      kits_multi_set_timer(multi) { _, milliseconds, itself in
        if let itself { Connection.at(itself).setTimer(milliseconds) }
        return 0
      })
  }

  // MARK: - From the transfers' callbacks

  func bodyHandedOver() {
    unstarted -= 1
    handedOver += 1
    if mayOpenSocket {
      mayOpenSocket = false
      lastProgress = Clocks.monotonic()
    }
  }

  func sawGoAway(lastStream last: Int) {
    lastStream = min(last, lastStream ?? last)
    if drainCause == nil { drainCause = .goAway }
  }

  func abandoned(_ transfer: Transfer) {
    given.append(transfer)
    if transfer.refused, drainCause == nil || drainCause == .goAway { drainCause = .refused }
  }

  /// Neither ended by the peer nor broken. Only asked while libcurl still holds the connection.
  var isSocketOpen: Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count > 0 || (count < 0 && errno == EAGAIN)
  }

  // MARK: - Segments

  /// From here to `flush` TCP sends full segments only. libcurl writes three frames for each request, each by itself;
  /// one trip through the network stack for all that a turn writes takes a fifth off the cost of a request, and the
  /// same at the other end.
  func gather() {
    guard !isGathering, phase != .connecting, gatherable >= 0 else { return }
    isGathering = setCork(1)
  }

  /// Sends what was gathered, at the end of each turn.
  func flush() {
    guard isGathering else { return }
    isGathering = false
    setCork(0)
  }

  /// Fails only for a socket that is closed, and then there is nothing to hold back.
  @discardableResult
  private func setCork(_ value: Int32) -> Bool {
    var value = value
    return setsockopt(gatherable, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
  }

  // MARK: - From the multi handle's callbacks

  private func setTimer(_ milliseconds: Int) {
    timerDue = milliseconds < 0 ? .max : Clocks.monotonic() + UInt64(milliseconds) * 1_000_000
  }

  /// Values of `what` that we don't know mean nothing to us: newer versions have added some.
  private func watch(_ socket: curl_socket_t, _ what: Int32) {
    var mask = UInt32(0)
    switch what {
    case CURL_POLL_IN: mask = EPOLLIN.rawValue
    case CURL_POLL_OUT: mask = EPOLLOUT.rawValue
    case CURL_POLL_INOUT: mask = EPOLLIN.rawValue | EPOLLOUT.rawValue
    case CURL_POLL_REMOVE:
      if socket == gatherable {
        flush()
        gatherable = -1
      }
      if watched.contains(where: { $0.socket == socket && $0.reported != 0 }) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nil)
      }
      return watched.removeAll { $0.socket == socket }
    default: return
    }
    if mask & EPOLLIN.rawValue != 0 {
      self.socket = socket
      gatherable = socket
    }
    if let place = watched.firstIndex(where: { $0.socket == socket }) {
      watched[place].wanted = mask
    } else {
      watched.append(Watch(socket: socket, reported: 0, wanted: mask))
    }
  }

  /// Tells epoll, before the loop waits: libcurl changes its mind with every request, and mostly back again.
  func tellEpoll() {
    for place in watched.indices where watched[place].wanted != watched[place].reported {
      let watch = watched[place]
      var event = epoll_event(
        events: watch.wanted, data: epoll_data_t(u64: UInt64(number) << 32 | UInt64(UInt32(bitPattern: watch.socket))))
      let isKnown = watch.reported != 0
      if epoll_ctl(epoll, isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, watch.socket, &event) != 0 {
        epoll_ctl(epoll, isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, watch.socket, &event)
      }
      watched[place].reported = watch.wanted
    }
  }

  static func at(_ pointer: UnsafeMutableRawPointer) -> Connection {
    Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
  }
}
