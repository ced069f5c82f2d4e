// For epoll, which Swift's Glibc module leaves out.
import CCurl
import Foundation

/// Keeps a number of clients registering for a while, all on this one thread: three system calls a request, far
/// cheaper than what it measures.
struct RegistrationLoad {
  struct Result {
    var count = 0
    var seconds = 0.0
    /// Of each request, in microseconds.
    var latencies: [UInt32] = []

    static func += (sum: inout Result, more: Result) {
      sum.count += more.count
      sum.seconds += more.seconds
      sum.latencies += more.latencies
    }
  }

  let template: RegistrationRequest
  let port: Int
  private static let slack = 5.0

  func run(clients count: Int, seconds: Double) throws(BenchError) -> Result {
    var random = SplitMix(seed: UInt64.random(in: 0 ... .max))
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    defer { close(epoll) }
    var clients: [LoadClient] = []
    for index in 0..<count {
      let client = try LoadClient(template, port: port)
      var interest = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(index)))
      epoll_ctl(epoll, EPOLL_CTL_ADD, client.socket, &interest)
      clients.append(client)
    }
    var result = Result()
    result.latencies.reserveCapacity(Int(seconds * 40_000))
    let start = Moment.monotonic
    let end = start + UInt64(seconds * 1e9)
    for client in clients {
      guard client.send(template, &random) else { throw BenchError("a client was not let in") }
    }
    var open = count
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    while open > 0 {
      let ready = epoll_wait(epoll, &events, Int32(events.count), 1_000)
      if Moment.monotonic > end + UInt64(Self.slack * 1e9) { throw BenchError("registrations are not answered") }
      for event in events.prefix(Int(max(0, ready))) {
        let client = clients[Int(event.data.u64)]
        switch client.receive() {
        case .incomplete: continue
        case .closed: throw BenchError("a client's connection was closed")
        case .complete(let status):
          guard status == 201 else { throw BenchError("a registration was answered \(client.text)") }
        }
        let now = Moment.monotonic
        guard now < end else {
          open -= 1
          continue
        }
        result.count += 1
        result.latencies.append(UInt32(clamping: (now - client.sentAt) / 1_000))
        guard client.send(template, &random) else { throw BenchError("a client's connection was closed") }
      }
    }
    result.seconds = seconds
    return result
  }
}
