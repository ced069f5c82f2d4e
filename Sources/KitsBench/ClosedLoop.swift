// For epoll, which Swift's Glibc module leaves out.
import CCurl
import Foundation

/// Keeps a number of clients asking, each its next request when it has the answer to the last. All on this one thread:
/// three system calls a request, far cheaper than what is measured.
struct ClosedLoop {
  let clients: [LoadClient]
  private let epoll: Int32

  /// - Parameter request: what the clients send, before they change it.
  init(_ count: Int, _ request: [UInt8], port: Int) throws(BenchError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    var clients: [LoadClient] = []
    for index in 0..<count {
      let client = try LoadClient(request, port: port)
      var interest = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(index)))
      epoll_ctl(epoll, EPOLL_CTL_ADD, client.socket, &interest)
      clients.append(client)
    }
    self.clients = clients
  }

  /// - Parameters:
  ///   - interval: nanoseconds between requests of all clients together; with 0 none waits.
  ///   - next: sends a client's next request; false when there is none. Takes by how many nanoseconds the request is
  ///     late because every client still waited for an answer.
  ///   - answered: the status of a client's request.
  func run(
    patience seconds: Double, interval: UInt64 = 0, next: (LoadClient, UInt64) throws(BenchError) -> Bool,
    answered: (LoadClient, Int) throws(BenchError) -> Void
  ) throws(BenchError) {
    defer { close(epoll) }
    let start = Moment.monotonic
    let end = start + UInt64(seconds * 1e9)
    var idle = clients
    var (due, hasMore, wasStarved) = (start, true, false)
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    while hasMore || idle.count < clients.count {
      var now = Moment.monotonic
      if now > end { throw BenchError("requests are not answered") }
      while hasMore, let client = idle.last, due <= now {
        hasMore = try next(client, wasStarved && interval > 0 ? now - due : 0)
        if hasMore { idle.removeLast() }
        due += interval
        now = Moment.monotonic
      }
      wasStarved = idle.isEmpty
      let wait = hasMore && !wasStarved ? (max(due, now) - now) / 1_000_000 + 1 : 1_000
      let ready = epoll_wait(epoll, &events, Int32(events.count), Int32(wait))
      for event in events.prefix(Int(max(0, ready))) {
        let client = clients[Int(event.data.u64)]
        switch client.receive() {
        case .incomplete: continue
        case .closed: throw BenchError("a client's connection was closed")
        case .complete(let status):
          try answered(client, status)
          idle.append(client)
        }
      }
    }
  }
}
