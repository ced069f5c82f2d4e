import CNghttp2
import Foundation
import Synchronization

/// The way into a worker's thread from any other: letters, and an eventfd that ends its wait.
final class Mailbox: Sendable {
  enum Letter: Sendable {
    /// A freshly accepted socket, which now belongs to the worker.
    case adopt(Int32)
    /// Answers kept back may go.
    case release
    /// Every connection is closed.
    case disconnect
    /// The worker's loop ends.
    case stop
  }

  let descriptor: Int32
  private let letters = Mutex<[Letter]>([])

  init() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
  }

  deinit { close(descriptor) }

  func put(_ letter: Letter) {
    letters.withLock { $0.append(letter) }
    eventfd_write(descriptor, 1)
  }

  func take() -> [Letter] {
    var count: UInt64 = 0
    eventfd_read(descriptor, &count)
    return letters.withLock { letters in
      defer { letters.removeAll() }
      return letters
    }
  }
}
