import CCurl
import Foundation

/// One connection of the bare loop: a multi handle that always has a full window in flight. Nothing is written down,
/// checked, retried or given up.
final class BareConnection {
  let number: Int
  private(set) var completed = 0
  private(set) var failed = 0
  private(set) var firstAnswerAt: UInt64?
  private(set) var timerDue = UInt64.max
  private let multi: UnsafeMutableRawPointer
  private let epoll: Int32
  private let transfers: [BareTransfer]
  private let budget: BareBudget
  private var random = SplitMix(seed: UInt64.random(in: 0 ... .max))
  private var watched = Set<Int32>()

  init(_ number: Int, _ job: BareJob, _ budget: BareBudget, epoll: Int32) throws(BenchError) {
    guard let multi = curl_multi_init() else { throw BenchError("curl_multi_init failed") }
    self.number = number
    self.multi = multi
    self.epoll = epoll
    self.budget = budget
    var transfers: [BareTransfer] = []
    for _ in 0..<job.window { transfers.append(try BareTransfer(job)) }
    self.transfers = transfers
    kits_multi_set_long(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX)
    kits_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1)
    kits_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1_000)
    let itself = Unmanaged.passUnretained(self).toOpaque()
    kits_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, itself)
    kits_multi_set_pointer(multi, CURLMOPT_TIMERDATA, itself)
    kits_multi_set_socket(multi) { _, socket, what, itself, _ in
      if let itself { BareConnection.at(itself).watch(socket, what) }
      return 0
    }
    kits_multi_set_timer(multi) { _, milliseconds, itself in
      if let itself { BareConnection.at(itself).setTimer(milliseconds) }
      return 0
    }
  }

  deinit {
    for transfer in transfers { curl_multi_remove_handle(multi, transfer.handle) }
    curl_multi_cleanup(multi)
  }

  var isDone: Bool { inFlight == 0 }
  private var inFlight = 0

  func start() {
    for transfer in transfers { send(transfer) }
  }

  func act(on socket: Int32, _ events: UInt32) {
    var mask: Int32 = 0
    if events & EPOLLIN.rawValue != 0 { mask |= CURL_CSELECT_IN }
    if events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
    if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_ERR }
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, mask, &running)
  }

  func actOnTimer() {
    timerDue = .max
    var running: Int32 = 0
    curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
  }

  /// Collects what has ended and sends the next with the same handle.
  func turn() {
    var queued: Int32 = 0
    while let message = curl_multi_info_read(multi, &queued) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      let code = message.pointee.data.result
      var pointer: UnsafeMutableRawPointer?
      kits_easy_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
      guard let pointer else { continue }
      let transfer = Unmanaged<BareTransfer>.fromOpaque(pointer).takeUnretainedValue()
      if firstAnswerAt == nil { firstAnswerAt = Moment.monotonic }
      completed += 1
      if code != CURLE_OK || transfer.status != 200 { failed += 1 }
      inFlight -= 1
      curl_multi_remove_handle(multi, easy)
      send(transfer)
    }
  }

  private func send(_ transfer: BareTransfer) {
    guard budget.take() else { return }
    inFlight += 1
    transfer.renew(&random)
    curl_multi_add_handle(multi, transfer.handle)
  }

  private func setTimer(_ milliseconds: Int) {
    timerDue = milliseconds < 0 ? .max : Moment.monotonic + UInt64(milliseconds) * 1_000_000
  }

  private func watch(_ socket: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      watched.remove(socket)
      epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nil)
      return
    }
    var mask: UInt32 = 0
    if what & CURL_POLL_IN != 0 { mask |= EPOLLIN.rawValue }
    if what & CURL_POLL_OUT != 0 { mask |= EPOLLOUT.rawValue }
    let data = UInt64(number) << 32 | UInt64(UInt32(bitPattern: socket))
    var event = epoll_event(events: mask, data: epoll_data_t(u64: data))
    epoll_ctl(epoll, watched.insert(socket).inserted ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event)
  }

  private static func at(_ pointer: UnsafeMutableRawPointer) -> BareConnection {
    Unmanaged<BareConnection>.fromOpaque(pointer).takeUnretainedValue()
  }
}
