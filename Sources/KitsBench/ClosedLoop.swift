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
  ///   - next: sends a client's next request; false when there is none.
  ///   - answered: the status of a client's request.
  func run(
    patience seconds: Double, next: (LoadClient) throws(BenchError) -> Bool,
    answered: (LoadClient, Int) throws(BenchError) -> Void
  ) throws(BenchError) {
    defer { close(epoll) }
    let end = Moment.monotonic + UInt64(seconds * 1e9)
    var open = 0
    for client in clients where try next(client) { open += 1 }
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    while open > 0 {
      let ready = epoll_wait(epoll, &events, Int32(events.count), 1_000)
      if Moment.monotonic > end { throw BenchError("requests are not answered") }
      for event in events.prefix(Int(max(0, ready))) {
        let client = clients[Int(event.data.u64)]
        switch client.receive() {
        case .incomplete: continue
        case .closed: throw BenchError("a client's connection was closed")
        case .complete(let status):
          try answered(client, status)
          if try !next(client) { open -= 1 }
        }
      }
    }
  }
}
