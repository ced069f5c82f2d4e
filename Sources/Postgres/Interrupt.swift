internal import CPostgres
internal import Glibc
internal import Synchronization

/// Wakes a connection's thread out of `poll` when the task that waits for it is cancelled.
final class Interrupt: Sendable {
  /// An eventfd, polled beside the socket.
  let descriptor: Int32
  private let requested = Atomic<Bool>(false)

  init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }

  deinit { close(descriptor) }

  var isRequested: Bool { requested.load(ordering: .acquiring) }

  func request() {
    requested.store(true, ordering: .releasing)
    eventfd_write(descriptor, 1)
  }

  /// Before the next statement; its caller's cancellation handler isn't installed yet and the last one's is gone.
  func reset() {
    guard isRequested else { return }
    drain()
    requested.store(false, ordering: .releasing)
  }

  func drain() {
    var count = eventfd_t()
    eventfd_read(descriptor, &count)
  }
}
