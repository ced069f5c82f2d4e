import CNghttp2
import Foundation

/// epoll, level-triggered. Registrations that don't change cost no system call.
final class Poller {
  struct Event {
    let tag: UInt64
    let isReadable: Bool
    /// The peer is gone: no more will come, whether or not anybody wants to read.
    let isBroken: Bool
  }

  private let descriptor: Int32
  private var events = [epoll_event](repeating: epoll_event(), count: 256)
  /// What each tag is registered for.
  private var interests: [UInt64: UInt32] = [:]

  init() throws {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw SocketError(what: "epoll", code: errno) }
  }

  deinit { close(descriptor) }

  func add(_ socket: Int32, tag: UInt64) throws {
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: tag))
    guard epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0 else {
      throw SocketError(what: "epoll_ctl", code: errno)
    }
    interests[tag] = EPOLLIN.rawValue
  }

  func watch(_ socket: Int32, tag: UInt64, reading: Bool, writing: Bool) {
    // Without reading, only the client's end of the connection is worth waking for.
    let interest = (reading ? EPOLLIN.rawValue : EPOLLRDHUP.rawValue) | (writing ? EPOLLOUT.rawValue : 0)
    guard interests[tag] != interest else { return }
    interests[tag] = interest
    var event = epoll_event(events: interest, data: epoll_data_t(u64: tag))
    epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event)
  }

  /// The socket was closed, which took it out of epoll.
  func forget(tag: UInt64) {
    interests[tag] = nil
  }

  func wait(milliseconds: Int32) -> [Event] {
    let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
    guard count > 0 else { return [] }
    return events.prefix(Int(count)).map { event in
      Event(
        tag: event.data.u64, isReadable: event.events & ~EPOLLOUT.rawValue != 0,
        isBroken: event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue | EPOLLRDHUP.rawValue) != 0)
    }
  }
}
